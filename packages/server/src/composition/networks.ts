import type { MemoryNetwork } from '@baobab/adapters/memory';
import {
  createFacebookVerifier,
  createGoogleVerifier,
  createOpenIdVerifier,
  facebookNetwork,
  googleNetwork,
  openIdNetwork,
} from '@baobab/adapters/oauth';
import type { AdapterWithSettings, Clock, OAuthNetwork } from '@baobab/core';

/** Where social networks are instead of where they really are, without a slash at the end. */
export interface NetworkUrls {
  readonly google?: string;
  readonly facebook?: string;
}

/** By the name that a network has in URLs. */
export type NetworkAdapters = Readonly<Record<string, AdapterWithSettings<OAuthNetwork>>>;

/** Networks in memory, one instead of each that is built in. */
export type MemoryNetworks = Readonly<Record<'facebook' | 'google' | 'openid', MemoryNetwork>>;

/** Where a new social network is plugged in. @param memory instead of all of them */
export function networkAdapters(
  { google, facebook }: NetworkUrls,
  clock: Clock,
  memory?: MemoryNetworks,
): NetworkAdapters {
  const at = (url: string | undefined) => ({ clock, ...(url === undefined ? {} : { url }) });
  return {
    facebook: facebookNetwork(memory?.facebook ?? createFacebookVerifier(at(facebook))),
    google: googleNetwork(memory?.google ?? createGoogleVerifier(at(google))),
    openid: openIdNetwork(memory?.openid ?? createOpenIdVerifier({ clock })),
  };
}
