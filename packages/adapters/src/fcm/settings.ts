import { oneLine, type SettingGroup, setting } from '@baobab/core';
import { type PushSender, pushServiceWith } from '../push-service.ts';

/** Settings of Firebase Cloud Messaging for one project. */
export interface FcmConfig {
  /** Project id; empty for the project of the service account. */
  readonly project: string;
  /** Key file of a service account, in JSON format. */
  readonly serviceAccount: string;
}

const SETTINGS = {
  section: 'Push',
  settings: {
    'push.android.project': setting.protected.string('', 'Firebase: the project id', oneLine),
    'push.android.service_account': setting.protected.secret('Firebase: the service account key file (JSON)'),
  },
} as const satisfies SettingGroup;

/** Creates Firebase Cloud Messaging with its settings. */
export const fcmService = (sender: PushSender<FcmConfig>) =>
  pushServiceWith({
    settings: SETTINGS,
    configIn(values) {
      const serviceAccount = values['push.android.service_account'];
      return serviceAccount === '' ? null : { serviceAccount, project: values['push.android.project'] };
    },
    sender,
  });
