import type { Answer, CallOptions, World } from './backend.ts';

/** Sections of a profile, each with a unique text. */
export interface Canaries {
  readonly visibleByTheUser: string;
  readonly visibleByFriend: string;
  readonly visibleByRegisteredUsers: string;
  readonly visibleByAnonymousUsers: string;
}

export const SECTION_NAMES = [
  'visibleByTheUser',
  'visibleByFriend',
  'visibleByRegisteredUsers',
  'visibleByAnonymousUsers',
] as const satisfies readonly (keyof Canaries)[];

export type Person = Awaited<ReturnType<World['user']>>;

/** @throws Error with the response for any other status */
export async function expectStatus(answer: Promise<Answer>, status: number): Promise<Answer> {
  const given = await answer;
  if (given.status !== status) throw new Error(`${given.status} instead of ${status}: ${given.text}`);
  return given;
}

/** Adds a user with a canary in each section. */
export async function planted(world: World): Promise<Person & { readonly canaries: Canaries }> {
  const person = await world.user();
  const canaries = Object.fromEntries(
    SECTION_NAMES.map((name) => [name, `canary-${name}-${person.id}`]),
  ) as unknown as Canaries;
  const body = Object.fromEntries(SECTION_NAMES.map((name) => [name, { canary: canaries[name] }]));
  await expectStatus(world.call('PUT', '/me', { token: person.token, body }), 200);
  return { ...person, canaries };
}

export async function follow(world: World, follower: Person, followed: Person): Promise<void> {
  await expectStatus(world.call('POST', `/follow/${followed.name}`, { token: follower.token }), 201);
}

/** Returns the names in a list, in its order. */
export async function namesIn(world: World, url: string, options: CallOptions): Promise<string[]> {
  const { data } = await expectStatus(world.call('GET', url, options), 200);
  return data.map(({ user }: { user: { name: string } }) => user.name);
}

/** Returns the names in a list, read page by page. */
export async function namesOnPages(world: World, url: string, options: CallOptions): Promise<string[]> {
  const names: string[] = [];
  for (let next = ''; ; ) {
    const { data, body } = await expectStatus(world.call('GET', `${url}${next}`, options), 200);
    names.push(...data.map(({ user }: { user: { name: string } }) => user.name));
    if (!body.more) return names;
    next = `&cursor=${encodeURIComponent(body.next)}`;
  }
}

/** Logs in with a password. */
export async function loginAs(
  world: World,
  username: string,
  password = 'secret',
  login_data?: { readonly os: string; readonly deviceId: string },
): Promise<string> {
  const { data } = await expectStatus(world.call('POST', '/login', { body: { username, password, login_data } }), 200);
  return data['X-BB-SESSION'];
}

/** Returns credentials of the administrator, which do not expire when a test moves the clock. */
export const adminOf = ({ backend }: World) => ['admin', backend.adminPassword] as const;

/** Changes settings as the administrator. */
export async function setSettings(world: World, section: string, values: Record<string, unknown>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    const options = { basic: adminOf(world), body: { value } };
    await expectStatus(world.call('PUT', `/admin/configuration/${section}/${key}`, options), 200);
  }
}

/** Adds a user created by the administrator with a role. */
export async function personWithRole(world: World, role: string): Promise<Person> {
  const name = world.unique('staff');
  const options = { basic: adminOf(world), body: { username: name, password: 'secret', role } };
  const { data } = await expectStatus(world.call('POST', '/admin/user', options), 201);
  return { name, id: data.id, token: await loginAs(world, name) };
}
