/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char < 0x80) continue;
    // Half of a pair is two bytes of the four.
    bytes += char < 0x800 || (char >= 0xd800 && char <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Whether texts have more than `most` bytes together. Their characters are looked at only where lengths do not tell. */
export function exceedsBytes(texts: readonly string[], most: number): boolean {
  let length = 0;
  for (const text of texts) length += text.length;
  if (length > most) return true;
  if (length * 3 <= most) return false; // no character has more than three bytes for each unit of its length
  let bytes = 0;
  for (const text of texts) bytes += byteLength(text);
  return bytes > most;
}
