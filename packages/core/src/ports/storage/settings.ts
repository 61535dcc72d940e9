export interface StoredSetting {
  readonly key: string;
  /** As text; the values of secret settings are encrypted. */
  readonly value: string;
}

/** The settings that administrators have changed; settings at their default are not stored. */
export interface SettingStore {
  /** By key, in code-point order. */
  all(): Promise<StoredSetting[]>;
  /**
   * Resolves to the value that was stored before; null when there was none. If several calls set one key, they take
   * effect one after the other.
   */
  set(setting: StoredSetting): Promise<string | null>;
}
