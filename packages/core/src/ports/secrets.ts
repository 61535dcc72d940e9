/**
 * Values that must not be guessable, or must not be readable without the server's secret key. While the key is changed there
 * is a previous one as well: what was made with it is still accepted, and nothing new is made with it.
 */
export interface Secrets {
  /** A UUIDv7 (RFC 9562): its text sorts by `now`, and within one process by the order of the calls. */
  uuid(now: number): string;
  /** 128 random bits as 22 base64url characters. */
  token(): string;
  /** That many random characters of the alphabet of Base32 (RFC 4648): 5 bits each, and easy to tell apart. */
  base32(length: number): string;
  /** That many random decimal digits, each equally likely. */
  digits(length: number): string;
  /**
   * A text that only the holder of the secret key can make: `id` (as `token()` makes it) and its MAC.
   * The same id gives the same text, so a token can be issued again from the stored id.
   */
  sign(id: string): string;
  /** The id inside a signed text, or `null` when the text was not made by `sign` with this or the previous key. No I/O. */
  unsign(signed: string): string | null;
  /** All texts from which `unsign` returns this id: that of the current key first. */
  signatures(id: string): readonly string[];
  /** A keyed digest: equal for equal texts, useless without the key. */
  digest(text: string): string;
  /** The digests of a text, for what was stored before a change of the key too: that of the current key first. */
  digests(text: string): readonly string[];
  /** A digest that needs no key, for texts that nobody can guess: it stays the same when the secret key is changed. */
  fingerprint(text: string): string;
  /** Authenticated encryption; each call returns a different text. */
  encrypt(text: string): string;
  /** The clear text, or `null` when `sealed` was changed or was encrypted with a key other than this and the previous one. */
  decrypt(sealed: string): string | null;
  /**
   * Authenticated encryption in which equal texts give equal results, for what is made often and given to many. It shows
   * only which texts are equal, and how long they are.
   */
  conceal(text: string): string;
  /** The clear text, or `null` when `concealed` was not made by `conceal` with this or the previous key. No I/O. */
  reveal(concealed: string): string | null;
  /** Whether `decrypt` opens the text with the current key. */
  isCurrent(sealed: string): boolean;
}
