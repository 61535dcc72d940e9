/**
 * Values that must not be guessable, or must not be readable without the server's secret key. During a key rotation
 * there is also a previous key. Values made with it are still accepted, and no new ones are made with it.
 */
export interface Secrets {
  /** Returns a UUIDv7 (RFC 9562). Its text sorts by `now`, and within one process by call order. */
  uuid(now: number): string;
  /** Returns 128 random bits as 22 base64url characters. */
  token(): string;
  /** Returns random characters of the Base32 alphabet (RFC 4648): 5 bits each, and easy to tell apart. */
  base32(length: number): string;
  /** Returns uniformly distributed random decimal digits. */
  digits(length: number): string;
  /**
   * Returns `id` (as made by `token()`) with its MAC, which requires the secret key. The same id gives the same text,
   * so a token can be reissued from the stored id.
   */
  sign(id: string): string;
  /**
   * Returns the id in a signed text, or `null` if `sign` did not make it with the current or the previous key. No I/O.
   */
  unsign(signed: string): string | null;
  /** Returns all texts from which `unsign` returns this id, that of the current key first. */
  signatures(id: string): readonly string[];
  /** Returns a keyed digest: equal for equal texts, useless without the key. */
  digest(text: string): string;
  /**
   * Returns the digests of a text under the current key and the previous one, in this order, to match values stored
   * before a key rotation.
   */
  digests(text: string): readonly string[];
  /** Returns a digest without a key, for unguessable texts. Stays the same when the secret key changes. */
  fingerprint(text: string): string;
  /** Encrypts with authentication. Each call returns a different text. */
  encrypt(text: string): string;
  /**
   * Returns the clear text, or `null` if `sealed` was changed or was encrypted with neither the current nor the
   * previous key.
   */
  decrypt(sealed: string): string | null;
  /**
   * Encrypts with authentication, for values that are made often and not stored. Each call returns a different text,
   * which reveals only the length.
   */
  conceal(text: string): string;
  /** Returns the clear text, or `null` if `conceal` did not make it with the current or the previous key. No I/O. */
  reveal(concealed: string): string | null;
  /** Returns true if the text was encrypted with the current key. */
  isCurrent(sealed: string): boolean;
}
