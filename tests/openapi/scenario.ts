import type { Examples } from '../../packages/http/src/reference/examples.ts';
import type { CallOptions } from '../support/backend.ts';
import { filePart, multipart, SAMPLES } from '../support/files.ts';
import { codeAt, STEP_MS, wrongCode } from '../support/second-factor.ts';
import { accountAccess } from './account-access.ts';
import { administration } from './administration.ts';
import { apiKeys } from './api-keys.ts';
import { type Capture, createCapture } from './capture.ts';
import { emails, logInByMail } from './emails.ts';
import { guests } from './guests.ts';
import { indexesOfLists } from './indexes.ts';
import { passkeys } from './passkeys.ts';
import { rulesByDocument } from './rules.ts';
import { webhooks } from './webhooks.ts';

const ADMIN = ['admin', 'change-me'] as const;
const BOOK = { title: 'Zeno', author: { name: 'Italo', born: 1861 }, tags: ['novel'] };

interface Person {
  readonly token: string;
}

/** The callers of the examples. */
export interface Cast extends Capture {
  readonly ann: Person;
  readonly bob: Person;
  asAdmin(method: string, url: string, options?: CallOptions): ReturnType<Capture['call']>;
}

async function accounts(capture: Capture): Promise<Cast> {
  const { call } = capture;
  const signUp = async (username: string, email: string): Promise<Person> => {
    const body = {
      username,
      password: 'secret',
      visibleByTheUser: { email },
      visibleByAnonymousUsers: { city: 'Turin' },
    };
    const { data } = await call('POST', '/user', { body });
    return { token: data['X-BB-SESSION'] };
  };
  const ann = await signUp('ann', 'ann@example.org');
  const bob = await signUp('bob', 'bob@example.org');
  await call('POST', '/user', { body: { username: 'ann', password: 'x' } });
  await call('POST', '/login', { body: { username: 'ann', password: 'wrong' } });
  const login_data = { os: 'android', deviceId: 'fcm-registration-token' };
  const phone = await call('POST', '/login', { body: { username: 'ann', password: 'secret', login_data } });
  const { token } = { token: phone.data['X-BB-SESSION'] };
  await call('GET', '/refresh', { token });
  const sessions = await call('GET', '/me/sessions', { token });
  await call('DELETE', `/me/sessions/${sessions.data.at(-1).id}`, { token: ann.token });
  await call('DELETE', '/me/sessions', { token });
  await call('POST', '/logout/fcm-registration-token', { token });
  const again = await call('POST', '/login', { body: { username: 'ann', password: 'secret' } });
  await call('POST', '/logout', { token: again.data['X-BB-SESSION'] });
  const last = await call('POST', '/login', { body: { username: 'ann', password: 'secret' } });
  const asAdmin: Cast['asAdmin'] = (method, url, options) => call(method, url, { basic: ADMIN, ...options });
  return { ...capture, ann: { token: last.data['X-BB-SESSION'] }, bob, asAdmin };
}

async function ownProfile({ call, ann, bob }: Cast): Promise<void> {
  for (const url of ['/user', '/me']) {
    await call('GET', url, { token: ann.token });
    await call('PUT', url, { token: ann.token, body: { visibleByFriend: { phone: '+39 011 555' } } });
    await call('PUT', `${url}/password`, { token: ann.token, body: { old: 'secret', new: 'secret' } });
  }
  await call('PUT', '/me/username', { token: bob.token, body: { username: 'bob' } });
}

async function people({ call, ann, bob }: Cast): Promise<void> {
  await call('GET', '/users?page=0&recordsPerPage=2&orderBy=user.name', { token: ann.token });
  const names = { where: 'user.name in ?', params: [['ann', 'bob']], orderBy: 'user.name' };
  await call('POST', '/users/query', { token: ann.token, body: names });
  await call('GET', '/user/bob', { token: ann.token });
  await call('GET', '/user/nobody', { token: ann.token });
  await call('GET', '/user/bob/exists', { token: ann.token });
  await call('POST', '/follow/bob', { token: ann.token });
  await call('POST', '/follow/bob', { token: ann.token });
  await call('GET', '/following', { token: ann.token });
  await call('GET', '/following/ann', { token: bob.token });
  await call('GET', '/followers', { token: bob.token });
  await call('GET', '/followers/bob', { token: ann.token });
  await call('DELETE', '/follow/bob', { token: ann.token });
  await call('GET', '/me/following-policy', { token: bob.token });
  await call('PUT', '/me/following-policy', { token: bob.token, body: { followers: 'approve' } });
  for (const method of ['DELETE', 'PUT', 'PUT']) {
    await call('POST', '/follow/bob', { token: ann.token });
    await call('GET', '/me/follow-requests', { token: bob.token });
    await call(method, '/me/follow-requests/ann', { token: bob.token });
  }
  for (let times = 0; times < 2; times++) await call('DELETE', '/followers/ann', { token: bob.token });
  await call('PUT', '/me/following-policy', { token: bob.token, body: { followers: 'nobody' } });
  await call('POST', '/follow/bob', { token: ann.token });
  await call('PUT', '/me/following-policy', { token: bob.token, body: { followers: null } });
  await call('POST', '/block/ann', { token: bob.token });
  await call('GET', '/blocked', { token: bob.token });
  for (let times = 0; times < 2; times++) await call('DELETE', '/block/ann', { token: bob.token });
}

async function groups({ call, ann, bob, asAdmin }: Cast): Promise<void> {
  const as = (body?: unknown): CallOptions => ({ token: ann.token, ...(body === undefined ? {} : { body }) });
  const { data } = await call('POST', '/group', as({ name: 'Lake house' }));
  const url = `/group/${data.id}`;
  await call('POST', '/group', as({ name: '' }));
  await call('GET', '/group', as());
  await call('GET', '/me/group-policy', { token: bob.token });
  await call('PUT', '/me/group-policy', { token: bob.token, body: { add: 'nobody' } });
  await call('PUT', `${url}/member/bob`, as({ role: 'member' }));
  await call('PUT', '/me/group-policy', { token: bob.token, body: { add: null } });
  for (const method of ['DELETE', 'PUT']) {
    await call('PUT', `${url}/member/bob`, as({ role: 'member' }));
    await call('GET', `${url}/invited`, as());
    await call('GET', '/me/group-invitations', { token: bob.token });
    for (let times = 0; times < 2; times++)
      await call(method, `/me/group-invitations/${data.id}`, { token: bob.token });
  }
  const code = await call('POST', `${url}/invitation`, as({ uses: 2 }));
  await call('GET', `${url}/invitation`, as());
  for (const method of ['GET', 'POST']) await call(method, `/invitation/${code.data.code}`, { token: bob.token });
  await call('DELETE', `${url}/invitation/${code.data.id}`, as());
  await call('GET', `/invitation/${code.data.code}`, { token: bob.token });
  await call('PUT', `${url}/member/ann`, as({ role: 'member' }));
  await call('GET', url, as());
  await call('PUT', url, as({ name: 'Lake' }));
  await call('PUT', url, { token: bob.token, body: { name: 'Mine' } });
  await asAdmin('GET', '/admin/group');
  await asAdmin('POST', '/admin/collection/trips');
  const trip = await call('POST', '/document/trips', as({ to: 'the lake' }));
  const path = `/document/trips/${trip.data.id}/read/group/${data.id}`;
  await call('PUT', path, as());
  await call('DELETE', path, as());
  const file = await call('POST', '/file', { token: ann.token, bytes: multipart(filePart('The lake')) });
  await call('PUT', `/file/${file.data.id}/read/group/${data.id}`, as());
  await call('DELETE', `/file/${file.data.id}/read/group/${data.id}`, as());
  await asAdmin('DELETE', '/admin/collection/trips');
  await call('DELETE', `/file/${file.data.id}`, as());
  await call('DELETE', `${url}/member/bob`, as());
  await call('DELETE', `${url}/member/bob`, as());
  await call('GET', url, { token: bob.token });
  await call('DELETE', url, as());
}

async function documents({ call, ann, bob, asAdmin }: Cast): Promise<void> {
  await asAdmin('POST', '/admin/collection/books');
  const { data } = await call('POST', '/document/books', { token: ann.token, body: BOOK });
  const url = `/document/books/${data.id}`;
  const as = (body?: unknown): CallOptions => ({ token: ann.token, ...(body === undefined ? {} : { body }) });
  await call('GET', '/document/books?where=author.born+%3C+%3F&params=1900&orderBy=title+asc&page=0', as());
  await call('GET', '/document/books?where=%3B', as());
  const query = { where: 'title = ? and author.born in ?', params: ['Zeno', [1861, 1862]], recordsPerPage: 10 };
  await call('POST', '/document/books/query', as(query));
  await call('GET', '/document/books/count', as());
  await call('GET', '/changes?since=0&collection=books&limit=100', as());
  await call('GET', url, as());
  await call('GET', url, { token: bob.token });
  await call('GET', url.replace(data.id, '0'), as());
  await call('GET', `${url}?expand=id`, as());
  await call('PUT', url, as({ ...BOOK, title: 'La coscienza di Zeno', '@version': 1 }));
  await call('PUT', url, as({ ...BOOK, '@version': 1 }));
  await call('GET', `${url}/.author/.name`, as());
  await call('PUT', `${url}/.tags[1]`, as({ data: 'Trieste' }));
  await call('DELETE', `${url}/.tags[0]`, as({ '@version': 3 }));
  await call('PATCH', url, as({ increment: { sold: 1 }, addToSet: { tags: ['novel'] } }));
  await call('PATCH', url, as({ increment: { title: 1 } }));
  for (const to of ['user/bob', 'role/registereduser']) {
    await call('PUT', `${url}/read/${to}`, as());
    await call('DELETE', `${url}/read/${to}`, as());
  }
  await call(
    'PUT',
    `${url}/acl`,
    as({ read: { users: ['bob'], roles: [] }, update: { users: [], roles: ['BackOffice'] } }),
  );
  const operations = [
    { method: 'POST', path: '/document/books', body: { title: 'Senilità' } },
    { method: 'PUT', path: `${url}/.sold`, body: { data: 7 } },
  ];
  await call('POST', '/batch', as({ atomic: true, operations }));
  await call('POST', `/document/books?id=${data.id}`, as({ title: 'Una vita' }));
  await call('DELETE', url, as());
  await asAdmin('GET', '/admin/collection');
  await asAdmin('GET', '/admin/collection/names');
  await asAdmin('PUT', '/admin/collection/books/index/author.born', { body: { unique: true } });
  await asAdmin('PUT', '/admin/collection/books/index/author.born');
  await asAdmin('GET', '/admin/collection/books/index');
  await asAdmin('GET', '/admin/collection/books/index/author.born');
  await asAdmin('GET', '/admin/collection/books/index/advice');
  await asAdmin('DELETE', '/admin/collection/books/index/author.born');
  await asAdmin('PUT', '/admin/collection/books/search', { body: { fields: { title: 3, text: 1 } } });
  await asAdmin('GET', '/admin/collection/books/search');
  await asAdmin('DELETE', '/admin/collection/books/search');
  const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
  await asAdmin('PUT', '/admin/collection/books/schema', { body: schema });
  await asAdmin('PUT', '/admin/collection/books/schema', { body: { type: 'text' } });
  await asAdmin('GET', '/admin/collection/books/schema');
  await call('POST', '/document/books', as({ title: 7 }));
  await asAdmin('DELETE', '/admin/collection/books/schema');
  await asAdmin('DELETE', '/admin/collection/books/schema');
  await asAdmin('PUT', '/admin/collection/books/rules', {
    body: { create: ['BackOffice'], read: ['anonymous'], update: ['BackOffice'] },
  });
  await asAdmin('GET', '/admin/collection/books/rules');
  await asAdmin('PUT', '/admin/collection/books/rules', { body: { create: ['anonymous'] } });
  await rulesByDocument({ call, ann, asAdmin });
  await asAdmin('DELETE', '/admin/collection/books');
}

async function files({ call, ann, bob, asAdmin }: Cast): Promise<void> {
  const attached = { name: 'attachedData', content: '{"album":"Holidays"}' };
  const image = filePart(SAMPLES.png, { fileName: 'beach.png', type: 'image/png' });
  const { data } = await call('POST', '/file', { token: ann.token, bytes: multipart(attached, image) });
  const as = { token: ann.token };
  await call('GET', '/file/details?page=0', as);
  await call('POST', '/file/details/query', { ...as, body: { where: 'id in ?', params: [[data.id]] } });
  await call('GET', `/file/details/${data.id}`, as);
  await call('GET', `/file/details/${data.id}`, { token: bob.token });
  await call('GET', `/file/attachedData/${data.id}`, as);
  await call('GET', `/file/${data.id}`, as);
  for (const to of ['user/bob', 'role/registereduser']) {
    await call('PUT', `/file/${data.id}/read/${to}`, as);
    await call('DELETE', `/file/${data.id}/read/${to}`, as);
  }
  await call('DELETE', `/file/${data.id}`, as);
  await asAdmin('POST', '/admin/asset', { form: { name: 'opening-hours', meta: '{"mon":"9-17"}' } });
  const part = filePart(SAMPLES.png, { fileName: 'logo.png', type: 'image/png' });
  await asAdmin('POST', '/admin/asset', { bytes: multipart({ name: 'name', content: 'logo' }, part) });
  await asAdmin('GET', '/admin/asset');
  await call('GET', '/asset/logo/data');
  for (const url of ['/asset/logo', '/asset/logo/download']) {
    await call('GET', url);
    await asAdmin('GET', `${url}/resize/1/1`);
    await call('GET', `${url}/resize/50%`);
    await call('GET', `${url}/resizeId/2`);
  }
  await asAdmin('DELETE', '/admin/asset/logo');
}

async function passwordReset({ call, asAdmin, backend }: Cast): Promise<void> {
  await asAdmin('PUT', '/admin/configuration/PasswordRecovery/network.smtp.host', { body: { value: 'localhost' } });
  await asAdmin('POST', '/admin/mail/test', { body: { to: 'ops@example.org' } });
  await call('POST', '/user/erase', { form: { username: 'nobody' } });
  await call('POST', '/user/erase', { body: { username: 'nobody' } });
  await call('GET', '/user/ann/password/reset');
  const [, token = ''] = /\/user\/password\/reset\/([\w-]+)/.exec(backend.mail.at(-1)?.text ?? '') ?? [];
  await call('GET', `/user/password/reset/${token}`);
  await call('POST', `/user/password/reset/${token}`, { form: { password: 'new', 'repeat-password': 'new' } });
}

async function social({ call, asAdmin, backend }: Cast): Promise<void> {
  await asAdmin('PUT', '/admin/configuration/Social/social.google.enabled/true');
  await asAdmin('PUT', '/admin/configuration/Social/social.google.token', { body: { value: 'client-id' } });
  const person = { id: '1094', name: 'Ann', email: 'ann@example.org' };
  const oauth_token = backend.networks.google.issue({ person, clientId: 'client-id' });
  const body = { oauth_token, oauth_secret: oauth_token };
  const { data } = await call('POST', '/social/google', { body });
  const token = data['X-BB-SESSION'];
  await call('GET', '/social', { token });
  await call('PUT', '/social/google', { token, body });
  await call('DELETE', '/social/google', { token });
  const { token: bobs } = {
    token: (await call('POST', '/login', { body: { username: 'bob', password: 'secret' } })).data['X-BB-SESSION'],
  };
  const other = backend.networks.google.issue({ person: { id: '1095' }, clientId: 'client-id' });
  await call('PUT', '/social/google', { token: bobs, body: { oauth_token: other, oauth_secret: other } });
  await call('DELETE', '/social/google', { token: bobs, body: { current_password: 'secret' } });
}

async function secondFactor({ call, asAdmin, now }: Cast): Promise<void> {
  const user = { username: 'fay', password: 'secret' };
  const { data: fay } = await call('POST', '/user', { body: user });
  const token = fay['X-BB-SESSION'];
  await call('GET', '/me/totp', { token });
  await call('POST', '/me/totp/confirm', { token, body: { code: '123456' } });
  const { data: totp } = await call('POST', '/me/totp', { token, body: { current_password: 'secret' } });
  await call('POST', '/me/totp/confirm', { token, body: { code: wrongCode(totp.secret, now()) } });
  const confirmation = { code: codeAt(totp.secret, now()) };
  const { data } = await call('POST', '/me/totp/confirm', { token, body: confirmation });
  await call('POST', '/me/totp', { token });
  const { body } = await call('POST', '/login', { body: user });
  const { challenge } = body;
  await call('POST', '/login/second', { body: { challenge, code: wrongCode(totp.secret, now()) } });
  await call('POST', '/login/second', { body: { challenge, code: codeAt(totp.secret, now() + STEP_MS) } });
  const [recovery_code] = data.recovery_codes;
  for (let times = 0; times < 2; times++) await call('DELETE', '/me/totp', { token, body: { recovery_code } });
  await asAdmin('DELETE', '/admin/user/fay/factors', { body: { current_password: 'change-me' } });
}

async function push({ call, asAdmin, bob }: Cast): Promise<void> {
  const message = { message: 'It is ready', badge: 1 };
  await asAdmin('POST', '/push/message/bob', { body: message });
  for (const [key, value] of [
    ['project', 'my-app'],
    ['service_account', '{"client_email":"a@example.org"}'],
  ]) {
    await asAdmin('PUT', `/admin/configuration/Push/push.android.${key}`, { body: { value } });
  }
  await call('PUT', '/push/enable/android/fcm-registration-token', { token: bob.token });
  const { data } = await asAdmin('POST', '/push/message', { body: { ...message, users: ['bob'] } });
  await asAdmin('POST', '/push/message/bob', { body: message });
  await asAdmin('GET', `/push/message/${data.id}`);
  await asAdmin('GET', '/admin/push/messages');
  await call('PUT', '/push/disable/fcm-registration-token', { token: bob.token });
}

async function service({ call }: Cast): Promise<void> {
  await call('GET', '/health/live', { appCode: null });
  await call('GET', '/health/ready', { appCode: null });
}

/** The examples of the reference, captured from a fresh service. */
export async function captureExamples(): Promise<Examples> {
  const capture = await createCapture();
  try {
    const cast = await accounts(capture);
    for (const scene of [
      ownProfile,
      people,
      groups,
      documents,
      files,
      administration,
      social,
      secondFactor,
      passkeys,
      push,
      webhooks,
      apiKeys,
      indexesOfLists,
      service,
      passwordReset,
      emails,
      logInByMail,
      guests,
      accountAccess,
    ]) {
      await scene(cast);
    }
    return capture.examples();
  } finally {
    await capture.backend.close();
  }
}
