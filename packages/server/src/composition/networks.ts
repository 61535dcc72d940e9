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
import type { Outbound } from './outbound.ts';

/** Replacements for the base URLs of the real social networks, without a trailing slash. */
export interface NetworkUrls {
  readonly google?: string;
  readonly facebook?: string;
}

/** Adapters by the network's name in URLs. */
export type NetworkAdapters = Readonly<Record<string, AdapterWithSettings<OAuthNetwork>>>;

/** In-memory networks, one for each built-in network. */
export type MemoryNetworks = Readonly<Record<'facebook' | 'google' | 'openid', MemoryNetwork>>;

export interface NetworkOptions {
  readonly clock: Clock;
  readonly outbound: Outbound;
  /** Timeout for identifying one person, in milliseconds; default: that of the adapters. */
  readonly timeLimit?: number;
  /** Replaces all networks. */
  readonly memory?: MemoryNetworks;
}

/** Creates the adapters of the social networks. Register new networks here. */
export function networkAdapters({ google, facebook }: NetworkUrls, options: NetworkOptions): NetworkAdapters {
  const { memory, outbound, ...limits } = options;
  const at = (url: string | undefined) => ({
    ...limits,
    proxies: outbound.proxies,
    ...(url === undefined ? {} : { url }),
  });
  return {
    facebook: facebookNetwork(memory?.facebook ?? createFacebookVerifier(at(facebook))),
    google: googleNetwork(memory?.google ?? createGoogleVerifier(at(google))),
    openid: openIdNetwork(memory?.openid ?? createOpenIdVerifier({ ...limits, ...outbound })),
  };
}
