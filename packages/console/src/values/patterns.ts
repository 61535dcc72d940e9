/** Returns an operand of `like` for texts with the given prefix, in which `%` and `_` are escaped. */
export const beginsWith = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;
