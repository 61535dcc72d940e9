import type { Clock } from '@baobab/core';
import type { Answer, CallOptions, World } from './backend.ts';
import {
  startFacebook,
  startGoogle,
  startOpenIdProvider,
  type TestFacebook,
  type TestSigner,
} from './oauth/networks.ts';
import { setSettings } from './people.ts';

export const APPS = { google: 'web.example', facebook: '123456789', openid: 'app' } as const;
export type Network = keyof typeof APPS;
export const NETWORKS = Object.keys(APPS) as readonly Network[];
export const FACEBOOK_SECRET = 'secret of the app';

/** Mock servers of all networks, on real sockets. */
export interface TestNetworks {
  readonly google: TestSigner;
  readonly facebook: TestFacebook;
  readonly openid: TestSigner;
  readonly urls: { readonly google: string; readonly facebook: string };
  close(): Promise<void>;
}

export async function startNetworks(clock: Clock): Promise<TestNetworks> {
  const google = await startGoogle(clock);
  const facebook = await startFacebook(clock, { id: APPS.facebook, secret: FACEBOOK_SECRET });
  const openid = await startOpenIdProvider(clock);
  return {
    google,
    facebook,
    openid,
    urls: { google: google.standIn.url, facebook: facebook.standIn.url },
    async close() {
      await Promise.all([google, facebook, openid].map(({ standIn }) => standIn.close()));
    },
  };
}

/** Configures all networks as an administrator. */
export async function setUpNetworks(world: World, networks: TestNetworks): Promise<void> {
  const ids = Object.entries(APPS).flatMap(([network, id]) => [
    [`social.${network}.enabled`, true],
    [`social.${network}.token`, id],
  ]);
  await setSettings(world, 'Social', {
    ...Object.fromEntries(ids),
    'social.facebook.secret': FACEBOOK_SECRET,
    'social.openid.issuer': networks.openid.issuer,
  });
}

export function logInBy(world: World, network: string, token: string, options: CallOptions = {}): Promise<Answer> {
  const { body, ...rest } = options;
  const tokens = { oauth_token: token, oauth_secret: token };
  return world.call('POST', `/social/${network}`, { body: { ...tokens, ...(body as object) }, ...rest });
}
