/** The version of the program and of its interface. Sent with every failure. */
export const API_VERSION = '0.1.0';
