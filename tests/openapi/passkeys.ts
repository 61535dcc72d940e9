import { createPrivateKey } from 'node:crypto';
import { createAuthenticator } from '@baobab/contracts/webauthn';
import type { Capture } from './capture.ts';

/** Ed25519 signatures are the same in every run. */
export const PASSKEY = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${'01'.repeat(32)}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});

/** Where browsers use passkeys of the examples. */
export const PLACE = { origin: 'https://api.example.org', rpId: 'api.example.org' };

/** From the registration of a passkey to its removal. */
export async function passkeys({ call }: Pick<Capture, 'call'>): Promise<void> {
  const { data: gus } = await call('POST', '/user', { body: { username: 'gus', password: 'secret' } });
  const token = gus['X-BB-SESSION'];
  const authenticator = createAuthenticator({ key: PASSKEY, id: Buffer.from('passkey of gus') });
  const { data: options } = await call('POST', '/me/passkeys/options', { token, body: { current_password: 'secret' } });
  const body = { name: 'My phone', ...authenticator.create(options, PLACE) };
  await call('POST', '/me/passkeys', { token, body });
  await call('POST', '/me/passkeys', { token, body });
  const { data: asked } = await call('POST', '/login/passkey/options');
  const response = authenticator.get(asked, PLACE);
  for (let times = 0; times < 2; times++) await call('POST', '/login/passkey', { body: response });
  const { data: listed } = await call('GET', '/me/passkeys', { token });
  const url = `/me/passkeys/${listed[0].id}`;
  await call('PUT', url, { token, body: { name: 'Old phone' } });
  for (let times = 0; times < 2; times++) await call('DELETE', url, { token, body: { current_password: 'secret' } });
}
