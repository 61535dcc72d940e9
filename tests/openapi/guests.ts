import type { Capture } from './capture.ts';

/** The examples of guests. */
export async function guests({ call }: Pick<Capture, 'call'>): Promise<void> {
  await call('POST', '/user/guest', { body: {} });
  const basic = ['admin', 'change-me'] as const;
  const allow = (value: boolean) =>
    call('PUT', '/admin/configuration/Application/guests.allowed', { basic, body: { value } });
  await allow(true);
  const { data: known } = await call('POST', '/user', { body: { username: 'greta', password: 'secret' } });
  const { data } = await call('POST', '/user/guest', { body: { client: known.client } });
  const token = data['X-BB-SESSION'];
  const choose = (username: string) =>
    call('PUT', '/me/credentials', { token, body: { username, password: 'secret' } });
  for (const username of ['ann', 'gina', 'gina']) await choose(username);
  await allow(false);
}
