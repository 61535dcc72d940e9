import type { Capture } from './capture.ts';

/** The examples of verified addresses. */
export async function emails({ call, backend }: Capture): Promise<void> {
  const { data } = await call('POST', '/user', { body: { username: 'gil', password: 'secret' } });
  const token = data['X-BB-SESSION'];
  const linkIn = () => /\/user\/email\/confirm\/[\w-]+/.exec(backend.mail.at(-1)?.text ?? '')?.[0] ?? '';
  const claim = async (email: string): Promise<void> => {
    await call('POST', '/me/email', { token, body: { email } });
    await backend.deliver();
  };
  await claim('nowhere');
  await claim('gil@example.org');
  await call('POST', '/me/email/confirm', { token, body: { code: 'wrong' } });
  await call('POST', '/me/email/confirm', { token, body: { code: '123456' } });
  await claim('gil@example.com');
  const link = linkIn();
  await call('GET', link);
  await call('POST', link);
  await call('POST', link);
}
