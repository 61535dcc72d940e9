import type {
  Backups,
  Blobs,
  FirstPassword,
  OAuthNetworks,
  PushDelivery,
  PushServices,
  SealedValues,
  Settings,
  Storage,
  TimeWatch,
} from '@baobab/core';

/** Parts of a running server that its checks use. */
export interface Inspected {
  readonly settings: Settings;
  readonly storage: Pick<Storage, 'health' | 'signals' | 'jobs'>;
  readonly blobs: Pick<Blobs, 'health'>;
  readonly backups: Pick<Backups, 'health'>;
  readonly pushServices: PushServices;
  readonly pushDelivery: Pick<PushDelivery, 'lanes'>;
  readonly networks: OAuthNetworks;
  readonly firstPassword: FirstPassword;
  readonly sealedValues: Pick<SealedValues, 'survey'>;
  readonly timeWatch: Pick<TimeWatch, 'jump'>;
}
