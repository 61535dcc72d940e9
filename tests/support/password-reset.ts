import type { Answer, CallOptions, World } from './backend.ts';
import { expectStatus, loginAs } from './people.ts';

const LINK = /(https?:\/\/\S+\/user\/password\/reset\/)([A-Za-z0-9_-]+)/;

/** Adds a user with an email address. */
export async function withAddress(world: World, name = world.unique('forgetful')) {
  const email = 'ann@example.com';
  const body = { username: name, password: 'old', visibleByTheUser: { email } };
  const { data } = await expectStatus(world.call('POST', '/user', { body }), 201);
  return { name, email, token: data['X-BB-SESSION'] as string };
}

export function request(world: World, name: string, options: CallOptions = {}): Promise<Answer> {
  return world.call('GET', `/user/${encodeURIComponent(name)}/password/reset`, options);
}

/** Returns the path of the link in a mail, which is all that a browser receives. */
export function linkIn(text: string | undefined): {
  readonly path: string;
  readonly base: string;
  readonly token: string;
} {
  const [, base, token] = LINK.exec(text ?? '') ?? [];
  if (base === undefined || token === undefined) throw new Error(`no link in: ${text}`);
  return { path: `/user/password/reset/${token}`, base, token };
}

/** Requests a link and reads it from the mail. */
export async function requestLink(world: World, name: string): Promise<string> {
  await expectStatus(request(world, name), 200);
  return linkIn(world.backend.mail.at(-1)?.text).path;
}

/** Opens a link like a browser, without an application code. */
export function openLink(world: World, path: string): Promise<Answer> {
  return world.call('GET', path, { appCode: null });
}

export function submit(world: World, path: string, password: string, repeated = password): Promise<Answer> {
  return world.call('POST', path, { appCode: null, form: { password, 'repeat-password': repeated } });
}

/** Returns true if a user can log in with a password. */
export async function worksFor(world: World, name: string, password: string): Promise<boolean> {
  return loginAs(world, name, password).then(
    () => true,
    () => false,
  );
}
