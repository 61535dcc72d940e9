export interface StoredSetting {
  readonly key: string;
  /** As text; secrets encrypted. */
  readonly value: string;
}

/** What an administrator has set; what stands on its default is not here. */
export interface SettingStore {
  /** By key, in code-point order. */
  all(): Promise<StoredSetting[]>;
  /** The last one to set a key wins. */
  set(setting: StoredSetting): Promise<void>;
}
