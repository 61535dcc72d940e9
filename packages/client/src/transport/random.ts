const KEY_BYTES = 16;

/** Returns 32 random hexadecimal digits. */
export function randomKey(): string {
  const bytes = new Uint8Array(KEY_BYTES);
  // Node 18 and React Native have no global `crypto`. The key must be unique per user, not secret.
  if (globalThis.crypto?.getRandomValues === undefined) {
    for (let at = 0; at < KEY_BYTES; at++) bytes[at] = Math.floor(Math.random() * 256);
  } else {
    globalThis.crypto.getRandomValues(bytes);
  }
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
