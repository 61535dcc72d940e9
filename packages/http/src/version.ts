/** Of the program and of its interface: sent with every error. */
export const API_VERSION = '0.1.0';
