import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { createRandom, type Random } from '../support/authorization/steps.ts';
import { type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { NOWHERE } from '../support/documents.ts';
import { filePart, upload } from '../support/files.ts';
import { expectStatus } from '../support/people.ts';

/** To repeat a failing run, set `EXPAND_SEED` to its seed. */
const seed = Number(process.env.EXPAND_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** `EXPAND_REQUESTS=10000` is a long run. */
const REQUESTS = Number(process.env.EXPAND_REQUESTS ?? 2_500);
/** Elsewhere, they take longer and differ in little. */
const ELSEWHERE = REQUESTS / 5;
/** Rights change after this many requests. */
const BETWEEN_CHANGES = 250;
const USERS = 5;
const DOCUMENTS = 40;
/** More are refused. */
const MAX_PATHS = 16;

type Json = Record<string, unknown>;

interface Caller {
  readonly name: string;
  readonly options: CallOptions;
}

/** A path, and those behind it. */
interface Asked {
  readonly path: string;
  readonly inner: readonly Asked[];
}

const PROFILES = ['_author', '_updated_by'];
const PATHS = ['one', 'many', 'deep.one', 'many[1]', '_author', '_updated_by', 'absent', 'deep', '__proto__'];
const GRANTEES = ['role/anonymous', 'role/registereduser', 'role/backoffice'];

/** A choice of paths. With `deep`, the path `deep.one` would be the second hop. */
function ask(random: Random, isOuter: boolean): readonly Asked[] {
  const chosen = PATHS.filter(() => random.chance(0.3));
  return chosen
    .filter((path) => path !== 'deep.one' || !chosen.includes('deep'))
    .map((path) => ({
      path,
      inner: isOuter && !PROFILES.includes(path) && random.chance(0.5) ? ask(random, false) : [],
    }));
}

const textOf = (asked: readonly Asked[], before = ''): string[] =>
  asked.flatMap(({ path, inner }) => [`${before}${path}`, ...textOf(inner, `${before}${path}.`)]);

/** The value at a path, by rules of its own. */
function at(document: Json, path: string): unknown {
  const steps = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? (value as Json)[step] : undefined,
    document,
  );
}

/** The single reads of a caller, by id and by name: undefined for what they may not read. */
interface Reads {
  readonly documents: ReadonlyMap<string, Json>;
  readonly profiles: ReadonlyMap<string, Json>;
}

function expanded(document: Json, asked: readonly Asked[], reads: Reads): Json {
  const read = (value: unknown) => (typeof value === 'string' ? reads.documents.get(value.toLowerCase()) : undefined);
  const members: Array<[string, unknown]> = [];
  for (const { path, inner } of asked) {
    const value = at(document, path);
    const shown = (found: Json) => (inner.length === 0 ? found : expanded(found, inner, reads));
    const one = PROFILES.includes(path) ? reads.profiles.get(String(value)) : read(value);
    const elements: readonly unknown[] = Array.isArray(value) ? value : [];
    const several = elements.flatMap<Json>((element) => read(element) ?? []);
    if (Array.isArray(value)) members.push([path, several.map(shown)]);
    else if (one !== undefined) members.push([path, shown(one)]);
  }
  return { ...document, _expanded: Object.fromEntries(members) };
}

async function createScene(world: World, random: Random) {
  const { below, chance, pick } = random;
  const users = await Promise.all(Array.from({ length: USERS }, () => world.user()));
  const collections = [await world.collection(), await world.collection()];
  const admin = { token: await world.admin() };
  const clerk = world.unique('clerk');
  await world.call('POST', '/admin/user', { ...admin, body: { username: clerk, password: 'x', role: 'backoffice' } });
  const login = await world.call('POST', '/login', { body: { username: clerk, password: 'x' } });
  const callers: readonly Caller[] = [
    { name: 'anonymous', options: {} },
    { name: 'admin', options: admin },
    { name: clerk, options: { token: login.data['X-BB-SESSION'] } },
    ...users.map(({ name, token }) => ({ name, options: { token } })),
  ];
  for (const { token, name } of users) {
    const body = { visibleByTheUser: { name }, visibleByFriend: { name }, visibleByRegisteredUsers: { name } };
    await expectStatus(world.call('PUT', '/me', { token, body }), 200);
  }
  const { data: file } = await upload(world, users[0]?.token, filePart('x'));
  const documents: Array<{ readonly id: string; readonly path: string; readonly token: string }> = [];

  const id = (): unknown => {
    const existing = documents.length === 0 ? NOWHERE : pick(documents).id;
    if (chance(0.75)) return existing;
    return pick([
      existing.toUpperCase(),
      NOWHERE,
      users[0]?.id,
      file,
      `#${existing}`,
      'x',
      '',
      5,
      null,
      true,
      [existing],
    ]);
  };
  const ids = () => Array.from({ length: below(6) }, id);
  const content = () => {
    const many = chance(0.8) ? ids() : id();
    return { one: chance(0.9) ? id() : ids(), many, deep: chance(0.8) ? { one: id() } : id(), ['__proto__']: id() };
  };

  async function create(): Promise<void> {
    const { token } = pick(users);
    const collection = pick(collections);
    const { data } = await expectStatus(world.call('POST', `/document/${collection}`, { token, body: content() }), 200);
    documents.push({ id: data.id, path: `/document/${collection}/${data.id}`, token });
  }

  async function change(): Promise<void> {
    const { path, token } = pick(documents);
    const kind = below(4);
    if (kind === 0) await world.call('PUT', path, { token, body: content() });
    else if (kind === 1) {
      const method = chance(0.5) ? 'POST' : 'DELETE';
      await world.call(method, `/follow/${pick(users).name}`, { token: pick(users).token });
    } else {
      const grantee = chance(0.6) ? `user/${pick(users).name}` : pick(GRANTEES);
      await world.call(chance(0.6) ? 'PUT' : 'DELETE', `${path}/${pick(['read', 'all'])}/${grantee}`, { token });
    }
  }

  async function readsOf({ options }: Caller): Promise<Reads> {
    const operations = documents.map(({ path }) => ({ method: 'GET', path }));
    const answer = await expectStatus(world.call('POST', '/batch', { ...options, body: { operations } }), 200);
    const found: Json[] = answer.data.flatMap((one: Json) => (one.http_code === 200 ? [one.data] : []));
    const profiles = await Promise.all(users.map(({ name }) => world.call('GET', `/user/${name}`, options)));
    return {
      documents: new Map(found.map((document) => [String(document.id), document])),
      profiles: new Map(profiles.map(({ data }) => [data.user.name, data])),
    };
  }

  for (let n = 0; n < DOCUMENTS; n++) await create();
  for (let n = 0; n < 2 * DOCUMENTS; n++) await change();
  return { callers, collections, documents, change, readsOf };
}

onEveryStorage('expanded answers', (world) => {
  const requests = () => (expect.getState().currentTestName?.includes('on memory') === true ? REQUESTS : ELSEWHERE);

  it('equal single reads of the same caller', async () => {
    const random = createRandom(seed);
    const { below, chance, pick } = random;
    const scene = await createScene(world, random);
    const { callers, collections, documents } = scene;
    let reads = new Map<string, Reads>();

    async function readsOf(caller: Caller): Promise<Reads> {
      const known = reads.get(caller.name) ?? (await scene.readsOf(caller));
      reads.set(caller.name, known);
      return known;
    }

    /** Without the checks of `world.call`, which take most of the time of a request. */
    async function get(url: string, { token }: CallOptions): Promise<unknown> {
      const { app, appCode } = world.backend;
      const headers = { 'x-service-appcode': appCode, ...(token === undefined ? {} : { 'x-bb-session': token }) };
      const { data, code } = JSON.parse((await app.inject({ method: 'GET', url, headers })).body);
      return data ?? code;
    }

    async function compare(caller: Caller, url: string, asked: readonly Asked[]): Promise<void> {
      const expand = textOf(asked).join();
      const plain = await get(url, caller.options);
      const found = await get(`${url}&expand=${encodeURIComponent(expand)}`, caller.options);
      const known = await readsOf(caller);
      const shown = (row: Json) => (asked.length === 0 ? row : expanded(row, asked, known));
      const whole = Array.isArray(plain) ? plain.map(shown) : shown(plain as Json);
      const expected = typeof plain === 'string' ? plain : whole;
      if (isDeepStrictEqual(found, expected)) return;
      expect(found, `EXPAND_SEED=${seed}: ${caller.name}: ${url}&expand=${expand}`).toEqual(expected);
    }

    function url(): string {
      const collection = pick(collections);
      if (chance(0.6)) return chance(0.5) ? `${pick(documents).path}?` : `/document/${pick(documents).id}?`;
      const page = chance(0.5) ? `&recordsPerPage=${1 + below(9)}` : '';
      return `/document/${collection}?${pick(['', 'orderBy=one%20desc', 'where=many%20is%20not%20null'])}${page}`;
    }

    for (let left = requests(); left > 0; left--) {
      if (left % BETWEEN_CHANGES === 0) {
        for (let changes = 1 + below(20); changes > 0; changes--) await scene.change();
        reads = new Map();
      }
      const asked = ask(random, true);
      if (textOf(asked).length <= MAX_PATHS) await compare(pick(callers), url(), asked);
    }
  });
});
