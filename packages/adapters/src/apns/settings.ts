import { oneLine, type SettingGroup, setting } from '@baobab/core';
import { type PushSender, pushServiceWith } from '../push-service.ts';

/** Settings of Apple's push notification service for one app. */
export interface ApnsConfig {
  readonly team: string;
  /** Bundle id of the app. */
  readonly topic: string;
  readonly keyId: string;
  /** Token key in PEM format (PKCS #8). */
  readonly key: string;
  readonly sandbox: boolean;
}

const SETTINGS = {
  section: 'Push',
  settings: {
    'push.sandbox.enable': setting.protected.boolean(true, 'Apple’s sandbox is used'),
    'push.ios.team': setting.protected.string('', 'Apple: the team id', oneLine),
    'push.ios.topic': setting.protected.string('', 'Apple: the bundle id of the app', oneLine),
    'push.ios.key_id': setting.protected.string('', 'Apple: the id of the token key', oneLine),
    'push.ios.key': setting.protected.secret('Apple: the token key (.p8)'),
  },
} as const satisfies SettingGroup;

/** Creates Apple's push notification service with its settings. */
export const apnsService = (sender: PushSender<ApnsConfig>) =>
  pushServiceWith({
    settings: SETTINGS,
    configIn(values) {
      const config = {
        team: values['push.ios.team'],
        topic: values['push.ios.topic'],
        keyId: values['push.ios.key_id'],
        key: values['push.ios.key'],
        sandbox: values['push.sandbox.enable'],
      };
      const { team, topic, keyId, key } = config;
      return [team, topic, keyId, key].includes('') ? null : config;
    },
    sender,
  });
