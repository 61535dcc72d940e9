import { apnsService, createApnsPush } from '@baobab/adapters/apns';
import { createFcmPush, fcmService } from '@baobab/adapters/fcm';
import type { MemoryPush } from '@baobab/adapters/memory';
import type { AdapterWithSettings, Clock, PushService } from '@baobab/core';

/** Where the push services are reached; null: where they really are. */
export interface PushUrls {
  readonly fcm: string | null;
  readonly apns: string | null;
}

/** By the platform of the devices. */
export type PushAdapters = Readonly<Record<string, AdapterWithSettings<PushService>>>;

/** Where a new push service is plugged in. @param sender instead of all of them */
export function pushAdapters({ fcm, apns }: PushUrls, clock: Clock, sender?: MemoryPush): PushAdapters {
  return {
    android: fcmService(sender ?? createFcmPush({ clock, url: fcm })),
    ios: apnsService(sender ?? createApnsPush({ clock, url: apns })),
  };
}
