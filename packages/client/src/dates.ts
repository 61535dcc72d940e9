/** Parses a date of the server. Its offset `+0000` has no colon, which older engines such as Hermes cannot parse. */
export const dateOf = (text: string): Date => new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
