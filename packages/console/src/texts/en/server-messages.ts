/** Translations of the server's messages by their English text. The server writes English, so there are none here. */
export const serverMessages: Readonly<Record<string, string>> = {};
