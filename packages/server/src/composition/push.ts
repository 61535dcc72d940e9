import { createApnsPush } from '@baobab/adapters/apns';
import { createFcmPush } from '@baobab/adapters/fcm';
import type { Clock, Push } from '@baobab/core';

/** Where the push services are reached; null: where they really are. */
export interface PushUrls {
  readonly fcm: string | null;
  readonly apns: string | null;
}

/** Where a new push service is plugged in. */
export function createPush({ fcm, apns }: PushUrls, clock: Clock): Push {
  const android = createFcmPush({ clock, url: fcm });
  const ios = createApnsPush({ clock, url: apns });
  return {
    send: (service, notification, isWanted) =>
      service.os === 'android'
        ? android.send(service, notification, isWanted)
        : ios.send(service, notification, isWanted),
    async close() {
      await Promise.all([android.close(), ios.close()]);
    },
  };
}
