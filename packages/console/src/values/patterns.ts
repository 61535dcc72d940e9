/** Texts that begin with a text, in which `%` and `_` stand for themselves, as an operand of `like`. */
export const beginsWith = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;
