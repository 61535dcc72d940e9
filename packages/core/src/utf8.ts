/** An unpaired surrogate, which is not valid Unicode text and which some databases cannot store. */
const SURROGATE = /\p{Surrogate}/u;

/** Returns true if every database stores this text unchanged. */
export const isStorable = (text: string) => !text.includes('\0') && !SURROGATE.test(text);

/** Returns the length of a text in UTF-8, in bytes. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char < 0x80) continue;
    // Each half of a surrogate pair counts for two of the four bytes.
    bytes += char < 0x800 || (char >= 0xd800 && char <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/**
 * Returns true if the texts of all rows have more than `most` bytes together. Reads their characters only if the
 * lengths are not conclusive.
 */
export function exceedsBytes<T>(rows: readonly T[], textsOf: (row: T) => readonly string[], most: number): boolean {
  let length = 0;
  for (const row of rows) for (const text of textsOf(row)) length += text.length;
  if (length > most) return true;
  if (length * 3 <= most) return false; // at most three bytes per UTF-16 unit
  let bytes = 0;
  for (const row of rows) for (const text of textsOf(row)) bytes += byteLength(text);
  return bytes > most;
}
