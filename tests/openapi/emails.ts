import type { Capture } from './capture.ts';
import type { Cast } from './scenario.ts';

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

/** The examples of sign-ups whose address has to be verified, and of log-in by mail. */
export async function logInByMail({ call, backend, asAdmin }: Cast): Promise<void> {
  const set = (section: string, key: string, value: unknown) =>
    asAdmin('PUT', `/admin/configuration/${section}/${key}`, { body: { value } });
  const newestCode = async (): Promise<string> => {
    await backend.deliver();
    return /^\d{6}$/m.exec(backend.mail.at(-1)?.text ?? '')?.[0] ?? '';
  };
  const user = { username: 'hal', password: 'secret' };
  await set('Application', 'registration.verified.email', true);
  await call('POST', '/user', { body: user });
  await call('POST', '/user', { body: { ...user, visibleByTheUser: { email: 'hal@example.org' } } });
  await call('POST', '/login', { body: user });
  await call('POST', '/user/hal/email', { body: { password: 'secret', email: 'hal@example.com' } });
  await call('POST', '/user/hal/email/confirm', { body: { code: 'wrong' } });
  await call('POST', '/user/hal/email/confirm', { body: { code: await newestCode() } });
  await call('POST', '/user/hal/email', { body: { password: 'secret' } });
  await set('Application', 'registration.verified.email', false);
  await call('POST', '/login/code', { body: { username: 'hal' } });
  await set('Application', 'login.by.mail', true);
  const { data } = await call('POST', '/login/code', { body: { username: 'hal' } });
  const code = await newestCode();
  await call('POST', '/login/code/confirm', { body: { challenge: data.challenge, code: 'wrong' } });
  await call('POST', '/login/code/confirm', { body: { challenge: data.challenge, code } });
  await set('Application', 'login.by.mail', false);
}
