import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/backend.ts';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';

const APP_CODE = 'two nodes';
const ADMIN_PASSWORD = 'password of the administrator';

interface Person {
  readonly name: string;
  readonly token: string;
}

/** A change on one node; `holds` asks the other one whether it has taken effect. */
interface Change {
  make(): Promise<Answer>;
  holds(): Promise<boolean>;
}

const basic = (name: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` },
});

describe('two nodes on one database', () => {
  const nodes: Program[] = [];
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let sql: Sql;
  let here: Client;
  let there: Client;
  let admin: string;
  let count = 0;

  async function expectOk(answer: Promise<Answer>): Promise<Answer> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`${status}: ${text}`);
    return answer;
  }

  async function person(): Promise<Person> {
    const name = `person${++count}`;
    const { data } = await expectOk(here('POST', '/user', { body: { username: name, password: 'secret' } }));
    return { name, token: data['X-BB-SESSION'] };
  }

  const asAdmin = (path: string, body: unknown = {}, method = 'PUT') => here(method, path, { token: admin, body });
  const statusThere = async (path: string, options: Parameters<Client>[2]) =>
    (await there('GET', path, options)).status;

  beforeAll(async () => {
    database = await createDatabase();
    sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    const env = { DATABASE_URL: database.url, SECRET_KEY: 'k'.repeat(40), APP_CODE, ADMIN_PASSWORD };
    nodes.push(startProgram(env), startProgram(env));
    const [first, second] = await Promise.all(nodes.map((node) => node.ready()));
    here = createClient(first ?? '', APP_CODE);
    there = createClient(second ?? '', APP_CODE);
    const { data } = await expectOk(here('POST', '/login', { body: { username: 'admin', password: ADMIN_PASSWORD } }));
    admin = data['X-BB-SESSION'];
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.dispose()));
    await sql.end();
    await database.drop();
  });

  async function listeners(): Promise<number[]> {
    const rows = await sql<Array<{ pid: number }>>`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'baobab listener' order by pid`;
    return rows.map(({ pid }) => pid);
  }

  /** Ends the connections over which the nodes receive signals. */
  async function cut(): Promise<readonly number[]> {
    await expect.poll(listeners).toHaveLength(2);
    const pids = await listeners();
    await sql`select pg_terminate_backend(pid) from unnest(${pids}::int[]) as pid`;
    return pids;
  }

  const moments: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
    ['while signals arrive', () => expect.poll(listeners).toHaveLength(2)],
    ['right after the signal connection was cut', cut],
    [
      'after the signal connection was restored',
      async () => {
        const gone = await cut();
        const fresh = async () => (await listeners()).filter((pid) => !gone.includes(pid));
        await expect.poll(fresh).toHaveLength(2);
      },
    ],
  ];

  /** A session that the other node has cached. */
  async function known(): Promise<Person> {
    const somebody = await person();
    for (let i = 0; i < 2; i++) expect(await statusThere('/me', { token: somebody.token })).toBe(200);
    return somebody;
  }

  async function document(owner: Person): Promise<string> {
    const collection = `books${++count}`;
    await expectOk(asAdmin(`/admin/collection/${collection}`, undefined, 'POST'));
    const { data } = await expectOk(here('POST', `/document/${collection}`, { token: owner.token, body: {} }));
    return `/document/${collection}/${data.id}`;
  }

  async function newRole(): Promise<string> {
    const role = `role${++count}`;
    await expectOk(asAdmin(`/admin/role/${role}`, undefined, 'POST'));
    return role;
  }

  /** A document that a group may read, and somebody who is not in it. */
  async function sharedDocument() {
    const [owner, somebody] = [await person(), await known()];
    const path = await document(owner);
    const { data } = await expectOk(here('POST', '/group', { token: owner.token, body: { name: 'Friends' } }));
    await expectOk(here('PUT', `${path}/read/group/${data.id}`, { token: owner.token }));
    return { group: String(data.id), path, owner, somebody };
  }

  async function join(group: string, owner: Person, somebody: Person): Promise<Answer> {
    await here('PUT', `/group/${group}/member/${somebody.name}`, { token: owner.token, body: { role: 'member' } });
    return here('PUT', `/me/group-invitations/${group}`, { token: somebody.token });
  }

  const changes: Readonly<Record<string, () => Promise<Change>>> = {
    async 'a logout'() {
      const { token } = await known();
      return {
        make: () => here('POST', '/logout', { token }),
        holds: async () => (await statusThere('/me', { token })) === 401,
      };
    },
    async 'the end of one session'() {
      const { token } = await known();
      const { data } = await expectOk(here('GET', '/me/sessions', { token }));
      return {
        make: () => here('DELETE', `/me/sessions/${data[0].id}`, { token }),
        holds: async () => (await statusThere('/me', { token })) === 401,
      };
    },
    async 'the last wrong password that is allowed'() {
      const { name } = await known();
      for (let i = 0; i < 2; i++) expect(await statusThere('/me', basic(name, 'secret'))).toBe(200);
      const guess = () => here('POST', '/login', { body: { username: name, password: 'wrong' } });
      for (let i = 0; i < 9; i++) expect((await guess()).status).toBe(401);
      return {
        async make() {
          expect((await guess()).status).toBe(401);
          return here('GET', '/users', { token: admin });
        },
        holds: async () => (await statusThere('/me', basic(name, 'secret'))) === 429,
      };
    },
    async 'a suspension'() {
      const { name, token } = await known();
      expect(await statusThere('/me', basic(name, 'secret'))).toBe(200);
      return {
        make: () => asAdmin(`/admin/user/suspend/${name}`),
        holds: async () =>
          (await statusThere('/me', { token })) === 401 && (await statusThere('/me', basic(name, 'secret'))) === 401,
      };
    },
    async 'a change of the password'() {
      const { name, token } = await known();
      const { data } = await expectOk(here('POST', '/login', { body: { username: name, password: 'secret' } }));
      expect(await statusThere('/me', basic(name, 'secret'))).toBe(200);
      const body = { old: 'secret', new: 'new' };
      return {
        make: () => here('PUT', '/me/password', { token: data['X-BB-SESSION'], body }),
        holds: async () =>
          (await statusThere('/me', { token })) === 401 &&
          (await statusThere('/me', basic(name, 'secret'))) === 401 &&
          (await statusThere('/me', basic(name, 'new'))) === 200,
      };
    },
    async 'a removal'() {
      const { name, token } = await known();
      return {
        make: () => asAdmin(`/admin/user/${name}`, undefined, 'DELETE'),
        holds: async () => (await statusThere('/me', { token })) === 401,
      };
    },
    async 'another role'() {
      const { name, token } = await known();
      expect(await statusThere('/admin/user', { token })).toBe(403);
      return {
        make: () => asAdmin(`/admin/user/${name}`, { role: 'administrator' }),
        holds: async () => (await statusThere('/admin/user', { token })) === 200,
      };
    },
    async 'the removal of a role'() {
      const [owner, { name, token }, role] = [await person(), await known(), await newRole()];
      const path = await document(owner);
      await expectOk(here('PUT', `${path}/read/role/${role}`, { token: owner.token }));
      await expectOk(asAdmin(`/admin/user/${name}`, { role }));
      await expect.poll(() => statusThere(path, { token })).toBe(200);
      return {
        make: () => asAdmin(`/admin/role/${role}`, undefined, 'DELETE'),
        holds: async () => (await statusThere(path, { token })) === 403,
      };
    },
    async 'joining a group'() {
      const { group, path, owner, somebody } = await sharedDocument();
      return {
        make: () => join(group, owner, somebody),
        holds: async () => (await statusThere(path, { token: somebody.token })) === 200,
      };
    },
    async 'leaving a group'() {
      const { group, path, owner, somebody } = await sharedDocument();
      const member = `/group/${group}/member/${somebody.name}`;
      await expectOk(join(group, owner, somebody));
      await expect.poll(() => statusThere(path, { token: somebody.token })).toBe(200);
      return {
        make: () => here('DELETE', member, { token: somebody.token }),
        holds: async () => (await statusThere(path, { token: somebody.token })) === 403,
      };
    },
    async 'the removal of a group'() {
      const { group, path, owner, somebody } = await sharedDocument();
      await expectOk(join(group, owner, somebody));
      await expect.poll(() => statusThere(path, { token: somebody.token })).toBe(200);
      return {
        make: () => here('DELETE', `/group/${group}`, { token: owner.token }),
        holds: async () => (await statusThere(path, { token: somebody.token })) === 403,
      };
    },
    async 'a setting'() {
      const key = '/admin/configuration/Application/followers.read.documents';
      const [owner, { token }] = [await person(), await known()];
      const path = await document(owner);
      await expectOk(here('POST', `/follow/${owner.name}`, { token }));
      await expectOk(asAdmin(key, { value: true }));
      await expect.poll(() => statusThere(path, { token })).toBe(200);
      return {
        make: () => asAdmin(key, { value: false }),
        holds: async () => (await statusThere(path, { token })) === 403,
      };
    },
    async 'a permission on a document'() {
      const [owner, { name, token }] = [await person(), await known()];
      const path = await document(owner);
      expect(await statusThere(path, { token })).toBe(403);
      return {
        make: () => here('PUT', `${path}/read/user/${name}`, { token: owner.token }),
        holds: async () => (await statusThere(path, { token })) === 200,
      };
    },
  };

  describe.each(moments)('%s', (_moment, arrange) => {
    it.each(Object.entries(changes))('%s on one node takes effect on the other immediately', async (_what, prepare) => {
      const { make, holds } = await prepare();
      expect(await holds()).toBe(false);
      await arrange();
      await expectOk(make());
      expect(await holds()).toBe(true);
      // It remains so, also when that answer is cached.
      expect(await holds()).toBe(true);
    });
  });

  it('failed log-ins are counted together', async () => {
    const { name } = await person();
    const login = (node: Client, password: string) => node('POST', '/login', { body: { username: name, password } });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => login(i % 2 === 0 ? here : there, 'wrong')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    for (const node of [here, there]) {
      const { status, body } = await login(node, 'secret');
      expect([status, body.bb_code]).toEqual([429, '42901']);
    }
  });
});
