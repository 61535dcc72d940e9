import { DatabaseSync } from 'node:sqlite';
import { addCollection, addUser } from '@baobab/contracts/storage';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { createShelf, type Shelf } from '../support/documents.ts';
import { createGroup, enroll } from '../support/groups.ts';
import { type PathAttack, pathAttacks, RESOLVED_VALUES } from '../support/path-attacks.ts';
import { loginAs } from '../support/people.ts';
import { openSocket, type RawAnswer, send } from '../support/sockets.ts';

/** Users and collections whose names are words of routes. Names like these existed before they were reserved. */
const ROUTE_WORDS = ['sessions', 'password', 'suspend', 'activate', 'factors', 'email', 'guest', 'belongings'];
const COLLECTION_WORDS = ['schema', 'rules', 'index', 'names', 'count'];
/** Columns that every request and the background work may change. */
const VOLATILE = new Set(['last_used', 'number', 'hash']);

describe('paths', () => {
  let storage: TestStorage;
  let backend: TestBackend;
  let world: World;
  let shelf: Shelf;
  let port: number;
  let token: string;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const open = STORAGES.sqlite ?? STORAGES.memory;
    if (open === undefined) throw new Error('no storage');
    storage = await open();
    for (const name of [...ROUTE_WORDS, '.', '..']) await addUser(storage.storage, name);
    for (const name of COLLECTION_WORDS) await addCollection(storage.storage, name);
    backend = await createTestBackend({ databaseUrl: storage.url });
    world = createWorld(backend);
    port = await openSocket(backend.app);
    token = await world.admin();
    shelf = await createShelf(world);
    const { id } = await shelf.create({ a: 1, b: { c: 2 } });
    const owner = shelf.owner;
    const group = await createGroup(world, owner);
    await enroll(world, { id: group, by: owner, user: await world.user('vic') });
    await world.call('POST', '/follow/vic', { token });
    ids = { document: id, group };
  });
  afterAll(async () => {
    await backend.close();
    await storage.dispose();
  });

  const raw = (method: string, path: string, body?: string): Promise<RawAnswer> =>
    send(port, {
      method,
      path,
      headers: {
        'x-service-appcode': backend.appCode,
        'x-bb-session': token,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
    });

  const NAMES: Readonly<Record<string, string>> = {
    username: 'vic',
    follower: 'admin',
    tofollow: 'vic',
    action: 'read',
    rolename: 'administrator',
    os: 'ios',
    list: 'users',
    path: 'a',
    section: 'Application',
    key: 'application.name',
    fieldPath: 'a',
  };
  function nameOf(template: string, parameter: string): string {
    const { group = '', document = '' } = ids;
    const isShelf = parameter === 'collection' || /^\/admin\/collection\/\{name\}/.test(template);
    if (parameter === 'groupId') return group;
    if (parameter === 'id') return template.startsWith('/group') ? group : document;
    return isShelf && parameter !== 'path' ? shelf.collection : (NAMES[parameter] ?? 'nothing');
  }

  /** Every row of every table, as text, by table. */
  function stored(): Map<string, string> {
    const database = new DatabaseSync(storage.url.replace('sqlite:', ''), { readOnly: true });
    try {
      const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
      return new Map(
        tables.map(({ name }) => {
          // A login is recorded after it is answered.
          const rows = database
            .prepare(`select * from "${name}"`)
            .all()
            .filter(({ act }) => act !== 'login.succeeded');
          return [String(name), JSON.stringify(rows, (key, value) => (VOLATILE.has(key) ? null : value))];
        }),
      );
    } finally {
      database.close();
    }
  }

  const OPERATIONS = [...new Set(pathAttacks(() => 'x', ['x']).map(({ operation }) => operation))];
  const IN_BATCHES = OPERATIONS.filter((operation) => / \/document\//.test(operation));
  const REFUSED = '404 path.segment_invalid';

  const attacksOn = (operation: string) =>
    pathAttacks(nameOf, RESOLVED_VALUES).filter((attack) => attack.operation === operation);

  /** Runs the attacks, each of which must be refused and leave every table unchanged. */
  async function expectRefused(
    attacks: readonly PathAttack[],
    refusalOf: (attack: PathAttack) => Promise<string>,
  ): Promise<void> {
    // A session for each operation: an earlier one may have ended it.
    token = await loginAs(world, 'admin', backend.adminPassword);
    const before = stored();
    const refusals: string[] = [];
    for (const attack of attacks) refusals.push(`${attack.path} ${await refusalOf(attack)}`);
    const changed = [...stored()].filter(([table, rows]) => rows !== before.get(table)).map(([table]) => table);
    expect(changed).toEqual([]);
    expect(refusals).toEqual(attacks.map(({ path }) => `${path} ${REFUSED}`));
  }

  it('are tried for all operations that change something by name', () => {
    expect(OPERATIONS.length).toBeGreaterThan(70);
    expect(IN_BATCHES.length).toBeGreaterThan(10);
  });

  it.each(OPERATIONS)('with a parameter that is resolved or decoded are 404 and change nothing: %s', (operation) =>
    expectRefused(attacksOn(operation), async ({ method, path, body }) => {
      const { status, text } = await raw(method, path, body);
      return `${status} ${JSON.parse(text).code}`;
    }),
  );

  it.each(IN_BATCHES)('are refused in batches too: %s', (operation) =>
    expectRefused(attacksOn(operation), async ({ method, path, body }) => {
      const batch = { atomic: false, operations: [{ method, path, ...(body && { body: JSON.parse(body) }) }] };
      const { text } = await raw('POST', '/batch', JSON.stringify(batch));
      const [{ http_code, code }] = JSON.parse(text).data;
      return `${http_code} ${code}`;
    }),
  );

  it('may begin with several slashes, and may be whole URLs', async () => {
    for (const start of ['', '/', '//', 'http://example.com', 'http://example.com/']) {
      const { status } = await raw('GET', `${start}/document/${shelf.collection}?call_id=a//b/`);
      expect(status, start).toBe(200);
    }
    const batch = {
      atomic: true,
      operations: [{ method: 'GET', path: `//document/${shelf.collection}/${ids.document}` }],
    };
    expect((await raw('POST', '//batch', JSON.stringify(batch))).status).toBe(200);
  });

  it.each([
    '/document//%',
    '/document/%/',
    '/document/%//',
    '/./document/%',
    '/x/../document/%',
    '/document/%#x',
    '/document/%/..\\x',
  ])('that mean another path to a parser are 404: %s', async (template) => {
    const { status, text } = await raw('GET', template.replace('%', shelf.collection));
    expect([status, JSON.parse(text).code]).toEqual([404, 'path.segment_invalid']);
  });

  it('are 404 as the document says', async () => {
    const { status, body } = await world.call('GET', '/invitation/a%2Fb');
    expect([status, body.code]).toEqual([404, 'path.segment_invalid']);
  });

  it.each(['a[0]', '50%', 'a%zz', 'https%3A%2F%2Fexample.com', 'a\\b', '...', 'a..b', 'q?x', 'h#x', 'ü', ' '])(
    'reach a field of any name that is one segment: %s',
    async (name) => {
      const quoted = `\`${name}\``;
      const { id } = await shelf.create({ [name]: 'before' });
      const path = `/document/${shelf.collection}/${id}/.${encodeURIComponent(quoted)}`;
      expect((await raw('PUT', path, '{"data":"after"}')).status).toBe(200);
      expect(JSON.parse((await raw('GET', path)).text).data).toEqual({ result: 'after' });
    },
  );

  it.each(['.', '..'])('reach the field %s in backticks, which no parser resolves', async (name) => {
    const { id } = await shelf.create({ [name]: 'before', other: 1 });
    const path = `/document/${shelf.collection}/${id}`;
    expect((await raw('DELETE', `${path}/.${name.slice(1)}`)).status).toBe(404);
    const { status } = await raw('DELETE', `${path}/.%60${name}%60`);
    expect(status).toBe(200);
    const left = JSON.parse((await raw('GET', path)).text).data;
    expect([left.other, name in left]).toEqual([1, false]);
  });

  it('keep a lone % and raw brackets literal', async () => {
    const { id } = await shelf.create({ list: ['a', 'b'], '50%': 1 });
    const path = `/document/${shelf.collection}/${id}`;
    expect(JSON.parse((await raw('GET', `${path}/.list[1]`)).text).data).toEqual({ result: 'b' });
    expect(JSON.parse((await raw('GET', `${path}/.50%`)).text).data).toEqual({ result: 1 });
  });
});
