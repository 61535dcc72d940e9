/** The pattern of texts that begin with this one, in which `%` and `_` stand for themselves. */
export const beginsWith = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;
