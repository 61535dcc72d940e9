import type {
  AdapterWithSettings,
  PushNotification,
  PushOutcome,
  PushService,
  SettingGroup,
  ValuesOf,
} from '@baobab/core';

/** Part of a push adapter that needs its settings. */
export interface PushSender<Config> {
  /** Like `send` of `PushChannel`, with these settings. */
  send(config: Config, notification: PushNotification, isWanted: () => Promise<boolean>): Promise<PushOutcome>;
  close(): Promise<void>;
}

export interface PushServiceParts<Group extends SettingGroup, Config> {
  readonly settings: Group;
  /** Returns null while the service is not configured. */
  readonly configIn: (values: ValuesOf<Group>) => Config | null;
  readonly sender: PushSender<Config>;
}

/** Creates a push service that reads its current settings for each channel. */
export function pushServiceWith<Group extends SettingGroup, Config>(
  parts: PushServiceParts<Group, Config>,
): AdapterWithSettings<PushService, Group> {
  const { settings, configIn, sender } = parts;
  return {
    settings,
    create: (source) => ({
      async channel() {
        const config = configIn(await source.current());
        if (config === null) return null;
        return {
          key: JSON.stringify(config),
          send: (notification, isWanted) => sender.send(config, notification, isWanted),
        };
      },
      close: sender.close,
    }),
  };
}
