/** Meaning and accepted values of settings, in place of the server's descriptions, which are in English already. */
export const settingHelp: Readonly<Record<string, string>> = {};
