import { createPostgresStorage } from '@baobab/adapters/postgres';
import { addCollection, addUser, newDocument, newUser, uuid } from '@baobab/contracts/storage';
import type { Storage } from '@baobab/core';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CITUS_URL, createCitusDatabase } from '../support/citus.ts';
import { silentLogger } from '../support/logger.ts';
import { until } from '../support/patience.ts';

/** Callers at the same time. */
const LANES = 8;
/** Of each; more with `CITUS_TURNS`. */
const STEPS = Number(process.env.CITUS_TURNS ?? 30);
const PEOPLE = 5;

type Step = (storage: Storage, people: readonly string[], n: number) => Promise<unknown>;

const nth = <T>(items: readonly T[], n: number): T => {
  const item = items[n % items.length];
  if (item === undefined) throw new Error('there is none');
  return item;
};
/** Two people who are never the same. */
const pairOf = (people: readonly string[], n: number): [string, string] => [
  nth(people, n),
  nth(people, n + 1 + (n % (PEOPLE - 1))),
];

/** Writes to tables that are on every node, alone and several of them in a transaction. */
const STEPS_OF: readonly Step[] = [
  ({ follows }, people, n) => follows.follow(...pairOf(people, n), 'anyone'),
  ({ blocks }, people, n) => blocks.add(...pairOf(people, n)),
  async (storage, people, n) => {
    const { id } = await addUser(storage, `guest ${uuid()}`);
    await storage.follows.add(id, nth(people, n));
    await storage.documents.add(newDocument(id, 'books'));
    await storage.users.remove(id);
  },
  ({ blocks }, people, n) => blocks.remove(...pairOf(people, n)),
  ({ users }, people, n) => users.update(nth(people, n), { passwordHash: `hash ${n}` }),
  ({ transaction }, people, n) =>
    transaction(async (stores) => {
      await stores.documents.add(newDocument(nth(people, n), 'books'));
      await stores.follows.add(...pairOf(people, n));
      await stores.users.add(newUser(`second ${uuid()}`));
      await stores.users.update(nth(people, n), { status: 'ACTIVE' });
    }),
  async (storage, people, n) => {
    const collection = await addCollection(storage, `c${uuid()}`);
    await storage.documents.add(newDocument(nth(people, n), collection));
    await storage.collections.remove(collection);
  },
  ({ follows }, people, n) => follows.unfollow(...pairOf(people, n)),
  async ({ roles, users }, people, n) => {
    const name = `r${uuid()}`;
    await roles.add({ name, description: '' });
    await users.update(nth(people, n), { role: name });
    await roles.remove(name);
  },
  ({ follows }, people, n) => follows.setPolicy(nth(people, n), null),
];

/** The advisory lock of the transaction whose turn it is. */
const TURN = 7_226_915;

/** Number of transactions that wait for their turn in the database. */
async function waitingFor(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`
    select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = ${TURN} and not granted`;
  return row?.n ?? 0;
}

/** On the coordinator, where every lock of a copied table is taken, by processes that have ended. */
async function deadlocksIn(url: string): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await until(async () => {
    const others =
      await sql`select 1 from pg_stat_activity where datname = current_database() and application_name = 'baobab'`;
    return others.length === 0;
  });
  const [row] = await sql`select deadlocks::int as n from pg_stat_database where datname = current_database()`;
  await sql.end();
  return row?.n ?? 0;
}

describe('concurrent writes to tables that are on every node', () => {
  let database: Awaited<ReturnType<typeof createCitusDatabase>>;
  let storage: Storage;
  let people: string[];

  beforeAll(async () => {
    if (CITUS_URL === undefined) throw new Error('there is no cluster');
    database = await createCitusDatabase(CITUS_URL);
    storage = createPostgresStorage({ url: database.url, logger: silentLogger });
    await storage.migrate(); // notices the cluster
    storage.signals.subscribe(() => undefined); // as the service does
    await until(() => storage.signals.live);
    people = [];
    for (let n = 0; n < PEOPLE; n++) people.push((await addUser(storage, `person ${n}`)).id);
    await addCollection(storage, 'books');
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  it('do not hold up writes of documents', async () => {
    await storage.transaction(async (stores) => {
      await stores.users.update(nth(people, 0), { passwordHash: 'another' });
      // On another connection, while this transaction has its turn.
      expect(await storage.documents.add(newDocument(nth(people, 1), 'books'))).not.toBeNull();
    });
  });

  it('leave connections to others while they wait for their turn', async () => {
    const few = createPostgresStorage({ url: database.url, logger: silentLogger, connections: 4 });
    await few.health(); // notices the cluster
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    await sql`select pg_advisory_lock(${TURN})`;
    const names = Array.from({ length: 8 }, () => uuid());
    const alone = names.map((name) => addUser(few, `alone ${name}`));
    const together = names.map((name) => few.transaction((stores) => addUser(stores, `together ${name}`)));
    await until(async () => (await waitingFor(sql)) > 0);
    expect(await few.documents.add(newDocument(nth(people, 1), 'books'))).not.toBeNull();
    expect(await waitingFor(sql)).toBeLessThan(4);
    await sql`select pg_advisory_unlock(${TURN})`;
    expect(await Promise.all([...alone, ...together])).toHaveLength(2 * names.length);
    await sql.end();
    await few.close();
  });

  it('take turns, so that none of them ends in a deadlock', async () => {
    const failures: unknown[] = [];
    async function lane(number: number): Promise<void> {
      for (let n = 0; n < STEPS; n++) {
        const step = nth(STEPS_OF, n + number * 3);
        await step(storage, people, n + number).catch((error: unknown) => failures.push(error));
      }
    }
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    expect(failures).toEqual([]);
    await storage.close(); // a server process counts its deadlocks at the latest when it ends
    expect(await deadlocksIn(database.url)).toBe(0);
  });
});
