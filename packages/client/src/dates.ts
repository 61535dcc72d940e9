/**
 * A date of the service. Its offset is `+0000` without a colon, which older engines, Hermes among them, do not parse.
 */
export const dateOf = (text: string): Date => new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
