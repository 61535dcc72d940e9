import { createMemoryNetwork } from '@baobab/adapters/memory';
import {
  createFacebookVerifier,
  createGoogleVerifier,
  createOpenIdVerifier,
  facebookNetwork,
  googleNetwork,
  openIdNetwork,
} from '@baobab/adapters/oauth';
import {
  CLIENT_IDS,
  idTokenContract,
  type OpenedIdTokens,
  oauthContract,
  oauthNetworkContract,
  type RemoteOAuthOptions,
} from '@baobab/contracts/oauth';
import type { Clock, OAuthNetwork } from '@baobab/core';
import { createWith } from '../support/fixed-settings.ts';
import { startFacebook, startGoogle, startOpenIdProvider, type TestSigner } from '../support/oauth/networks.ts';

const withNonce = { hasNonce: true };
const withoutNonce = { hasNonce: false };

oauthContract('memory', {
  kinds: { token: withNonce },
  async open(clock) {
    const memory = createMemoryNetwork({ clock });
    const network = createWith(googleNetwork(memory), { 'social.google.token': 'app' });
    return { network, clientIds: ['app'], issue: async (_kind, token) => memory.issue(token), close: network.close };
  },
});

function signing(signer: TestSigner, network: OAuthNetwork): OpenedIdTokens {
  return {
    network,
    clientIds: CLIENT_IDS,
    signer,
    standIn: signer.standIn,
    issue: signer.issue,
    async close() {
      await network.close();
      await signer.standIn.close();
    },
  };
}

async function openGoogle(clock: Clock, options: RemoteOAuthOptions = {}): Promise<OpenedIdTokens> {
  const google = await startGoogle(clock);
  const verifier = createGoogleVerifier({ clock, url: google.standIn.url, ...options });
  return signing(google, createWith(googleNetwork(verifier), { 'social.google.token': CLIENT_IDS.join(' ') }));
}

async function openProvider(clock: Clock, options: RemoteOAuthOptions = {}): Promise<OpenedIdTokens> {
  const provider = await startOpenIdProvider(clock);
  const network = createWith(openIdNetwork(createOpenIdVerifier({ clock, allowsPrivate: true, ...options })), {
    'social.openid.token': CLIENT_IDS.join(', '),
    'social.openid.issuer': provider.issuer,
  });
  return signing(provider, network);
}

async function openFacebook(clock: Clock, options: RemoteOAuthOptions = {}) {
  const clientIds = ['123456789'];
  const facebook = await startFacebook(clock, { id: '123456789', secret: 'app secret' });
  const verifier = createFacebookVerifier({ clock, url: facebook.standIn.url, ...options });
  const network = createWith(facebookNetwork(verifier), {
    'social.facebook.token': '123456789',
    'social.facebook.secret': 'app secret',
  });
  return {
    network,
    clientIds,
    facebook,
    standIn: facebook.standIn,
    issue: facebook.issue,
    async close() {
      await network.close();
      await facebook.standIn.close();
    },
  };
}

oauthContract('google', { kinds: { 'access token': withoutNonce, id_token: withNonce }, open: openGoogle });
oauthContract('facebook', { kinds: { 'access token': withoutNonce }, open: openFacebook });
oauthContract('openid', { kinds: { id_token: withNonce }, open: openProvider });

oauthNetworkContract('google', {
  paths: { 'access token': ['/tokeninfo', '/userinfo'], id_token: ['/certs'] },
  open: openGoogle,
});
oauthNetworkContract('facebook', { paths: { 'access token': ['/debug_token', '/me'] }, open: openFacebook });
oauthNetworkContract('openid', {
  paths: { id_token: ['/.well-known/openid-configuration', '/keys'] },
  open: openProvider,
});

idTokenContract('google', { keysAt: '/certs', checksParty: false, open: openGoogle });
idTokenContract('openid', { keysAt: '/keys', checksParty: true, open: openProvider });
