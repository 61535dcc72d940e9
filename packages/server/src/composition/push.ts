import { apnsService, createApnsPush } from '@baobab/adapters/apns';
import { createFcmPush, fcmService } from '@baobab/adapters/fcm';
import type { MemoryPush } from '@baobab/adapters/memory';
import type { Proxies } from '@baobab/adapters/outbound';
import type { AdapterWithSettings, Clock, PushService } from '@baobab/core';

/** Base URLs of the push services; null for the real ones. */
export interface PushUrls {
  readonly fcm: string | null;
  readonly apns: string | null;
}

/** Adapters by platform of the devices. */
export type PushAdapters = Readonly<Record<string, AdapterWithSettings<PushService>>>;

export interface PushOptions {
  readonly clock: Clock;
  readonly proxies: Proxies | null;
  /** Replaces all push services. */
  readonly sender?: MemoryPush;
}

/** Creates the adapters of the push services. Register new services here. */
export function pushAdapters({ fcm, apns }: PushUrls, { sender, ...options }: PushOptions): PushAdapters {
  return {
    android: fcmService(sender ?? createFcmPush({ ...options, url: fcm })),
    ios: apnsService(sender ?? createApnsPush({ ...options, url: apns })),
  };
}
