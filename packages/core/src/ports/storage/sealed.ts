/** Kinds of values stored encrypted with the secret key. Challenges are omitted because they live for minutes. */
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

/** An encrypted value and its storage location. */
export interface SealedValue {
  /** Opaque, and unique within its kind. The place of a setting is its key. */
  readonly place: string;
  readonly sealed: string;
}

/** All stored encrypted values, for a rotation of the secret key. */
export interface SealedStore {
  /**
   * Returns up to `limit` values of a kind after a place (null: from the first), in place order. For settings these are
   * all values, encrypted or not.
   */
  page(kind: SealedKind, after: string | null, limit: number): Promise<SealedValue[]>;
  /**
   * Replaces a value. Resolves to false, without changes, if the stored value is now another one or gone, so that
   * concurrent changes are not undone.
   */
  replace(kind: SealedKind, value: SealedValue, sealed: string): Promise<boolean>;
}
