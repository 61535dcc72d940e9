import { createAuthenticator } from '@baobab/contracts/webauthn';
import { PASSKEY, PLACE } from './passkeys.ts';
import type { Cast } from './scenario.ts';

/** Credentials and sessions of an account, and their removal. */
export async function accountAccess({ call, asAdmin, backend }: Cast): Promise<void> {
  const { data: ivo } = await call('POST', '/user', { body: { username: 'ivo', password: 'secret' } });
  const token = ivo['X-BB-SESSION'];
  const authenticator = createAuthenticator({ key: PASSKEY, id: Buffer.from('passkey of ivo') });
  const { data: options } = await call('POST', '/me/passkeys/options', { token, body: { current_password: 'secret' } });
  const body = { name: 'My phone', ...authenticator.create(options, PLACE) };
  const { data: passkey } = await call('POST', '/me/passkeys', { token, body });
  const oauth_token = backend.networks.google.issue({ person: { id: '1096' }, clientId: 'client-id' });
  await call('PUT', '/social/google', { token, body: { oauth_token, oauth_secret: oauth_token } });
  await call('GET', '/me/access', { token });
  await asAdmin('GET', '/admin/user/ivo/access');
  const presence = { body: { current_password: 'change-me' } };
  for (const path of [`passkeys/${passkey.id}`, 'social/google']) {
    for (let times = 0; times < 2; times++) await asAdmin('DELETE', `/admin/user/ivo/${path}`, presence);
  }
  await asAdmin('POST', '/admin/user/ivo/secure', presence);
}
