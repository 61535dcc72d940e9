import { createMemoryNetwork } from '@baobab/adapters/memory';
import { createFacebookNetwork, createGoogleNetwork, createOpenIdNetwork } from '@baobab/adapters/oauth';
import {
  CLIENT_IDS,
  idTokenContract,
  type OpenedIdTokens,
  oauthContract,
  oauthNetworkContract,
  type RemoteOAuthOptions,
} from '@baobab/contracts/oauth';
import type { Clock } from '@baobab/core';
import { startFacebook, startGoogle, startOpenIdProvider, type TestSigner } from '../support/oauth/networks.ts';

const withNonce = { hasNonce: true };
const withoutNonce = { hasNonce: false };

oauthContract('memory', {
  kinds: { token: withNonce },
  async open(clock) {
    const network = createMemoryNetwork({ clock });
    const app = { clientIds: ['app'], secret: '', issuer: '' };
    return { network, app, issue: async (_kind, token) => network.issue(token), close: network.close };
  },
});

function signing(signer: TestSigner, { network, app }: Pick<OpenedIdTokens, 'network' | 'app'>): OpenedIdTokens {
  return {
    network,
    app,
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
  const network = createGoogleNetwork({ clock, url: google.standIn.url, ...options });
  const app = { clientIds: CLIENT_IDS, secret: 'unused', issuer: '' };
  return signing(google, { network, app });
}

async function openProvider(clock: Clock, options: RemoteOAuthOptions = {}): Promise<OpenedIdTokens> {
  const provider = await startOpenIdProvider(clock);
  const network = createOpenIdNetwork({ clock, ...options });
  const app = { clientIds: CLIENT_IDS, secret: '', issuer: provider.issuer };
  return signing(provider, { network, app });
}

async function openFacebook(clock: Clock, options: RemoteOAuthOptions = {}) {
  const app = { clientIds: ['123456789'], secret: 'app secret', issuer: '' };
  const facebook = await startFacebook(clock, { id: '123456789', secret: app.secret });
  const network = createFacebookNetwork({ clock, url: facebook.standIn.url, ...options });
  return {
    network,
    app,
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
