export interface StoredSetting {
  readonly key: string;
  /** Text. The values of secret settings are encrypted. */
  readonly value: string;
}

/** Settings changed by administrators. Settings at their default are not stored. */
export interface SettingStore {
  /** Returns all settings by key, in code-point order. */
  all(): Promise<StoredSetting[]>;
  /**
   * Resolves to the previously stored value; null if there was none. Concurrent calls for one key take effect one after
   * the other.
   */
  set(setting: StoredSetting): Promise<string | null>;
}
