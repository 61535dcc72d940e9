import { apnsService, createApnsPush } from '@baobab/adapters/apns';
import { createFcmPush, fcmService } from '@baobab/adapters/fcm';
import type { MemoryPush } from '@baobab/adapters/memory';
import type { AdapterWithSettings, Clock, PushService } from '@baobab/core';

/** Base URLs of the push services; null: the real ones. */
export interface PushUrls {
  readonly fcm: string | null;
  readonly apns: string | null;
}

/** Adapters by the platform of the devices. */
export type PushAdapters = Readonly<Record<string, AdapterWithSettings<PushService>>>;

/** The adapters of the push services. Register a new one here. @param sender replaces all of them */
export function pushAdapters({ fcm, apns }: PushUrls, clock: Clock, sender?: MemoryPush): PushAdapters {
  return {
    android: fcmService(sender ?? createFcmPush({ clock, url: fcm })),
    ios: apnsService(sender ?? createApnsPush({ clock, url: apns })),
  };
}
