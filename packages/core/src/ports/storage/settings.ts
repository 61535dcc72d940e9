export interface StoredSetting {
  readonly key: string;
  /** As text; the values of secret settings are encrypted. */
  readonly value: string;
}

/** The settings that administrators have changed; settings at their default are not stored. */
export interface SettingStore {
  /** By key, in code-point order. */
  all(): Promise<StoredSetting[]>;
  /** If several calls set one key, the last wins. */
  set(setting: StoredSetting): Promise<void>;
}
