/** Version of the program and of its API, sent with every failure. */
export const API_VERSION = '0.1.0';
