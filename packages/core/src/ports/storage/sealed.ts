/** What is stored encrypted with the secret key, except challenges: they live for minutes. */
export const SEALED_KINDS = [
  'TOTP secrets',
  'recovery codes',
  'secrets of webhooks',
  'former secrets of webhooks',
  'settings',
  'tokens of social networks',
  'mails',
] as const;

export type SealedKind = (typeof SEALED_KINDS)[number];

/** An encrypted value, and where it is stored. */
export interface SealedValue {
  /** Opaque, and unique within its kind. The place of a setting is its key. */
  readonly place: string;
  readonly sealed: string;
}

/** Encrypted values wherever they are stored, for a change of the secret key. */
export interface SealedStore {
  /**
   * Up to `limit` values of a kind, in the order of their places, after a place; null from the first. Of settings these are all
   * values, encrypted or not.
   */
  page(kind: SealedKind, after: string | null, limit: number): Promise<SealedValue[]>;
  /**
   * Replaces a value. Resolves to false, and changes nothing, when another value is stored there now, or none: whatever
   * happens at the same time is not undone.
   */
  replace(kind: SealedKind, value: SealedValue, sealed: string): Promise<boolean>;
}
