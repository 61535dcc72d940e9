import { createPostgresStorage } from '@baobab/adapters/postgres';
import { ANYBODY, accessScopeOfUser, addUser, EVERYTHING, NOW, newDocument } from '@baobab/contracts/storage';
import {
  type AccessScope,
  type FeedPlace,
  NOBODY,
  RIGHTS,
  type Storage,
  type Stores,
  userPrincipal,
} from '@baobab/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch, PATIENCE_MS, pause, until } from '../support/patience.ts';

/** `OVERLAP_ROUNDS=1000` for the whole. */
const ROUNDS = Number(process.env.OVERLAP_ROUNDS ?? 25);
const SEED = Number(process.env.OVERLAP_SEED ?? 20_261_122);
/** Transactions of a round, with two steps each. */
const TRANSACTIONS = 5;
const STEPS = 2;
/** Documents of a round that several transactions change. */
const SHARED = 4;
/** A step that has not finished by then waits for the lock of another transaction. Milliseconds. */
const BLOCKED = 15;
const COLLECTION = 'books';
const ALL = { where: null, after: null, skip: 0, limit: 1_000_000 };

/** Numbers from 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = createRandom(SEED);
const below = (n: number) => Math.floor(random() * n);

let storage: Storage;
let drop: () => Promise<void>;
let [ann, bob] = ['', ''];
let readers: ReturnType<typeof createReader>[] = [];
/** Documents that this round changes. */
let shared: string[] = [];

/** A reader that builds a copy of what it may read, from the feed alone. */
function createReader(scope: AccessScope) {
  const copy = new Map<string, number>();
  let after: FeedPlace = { position: 0, id: '' };

  /** Reads one page. Resolves to whether there is more. */
  async function read(limit: number): Promise<boolean> {
    const wanted = { collections: [COLLECTION], scope, openCollections: [], after, limit };
    const { changes, next, more } = await storage.changes.read(wanted);
    for (const change of changes) {
      if (change.type === 'gone') {
        copy.delete(change.id);
        continue;
      }
      const { id, version } = change.document;
      expect(version).toBeGreaterThanOrEqual(copy.get(id) ?? 0);
      copy.set(id, version);
    }
    after = next;
    return more;
  }

  return {
    read,
    /** Reads to the end, and compares the copy with a list. */
    async expectComplete(): Promise<void> {
      while (await read(1 + below(5)));
      const listed = (await storage.documents.list({ ...ALL, order: [], collection: COLLECTION, scope })) ?? [];
      const fresh = listed.map(({ id, version }) => [id, version]);
      expect(Array.from(copy).sort()).toEqual(fresh.sort());
    },
  };
}

type Step = (stores: Stores) => Promise<unknown>;

function randomStep(): Step {
  const address = { collection: COLLECTION, id: shared[below(shared.length)] ?? '' };
  const toBob = { principal: userPrincipal(bob), rights: RIGHTS.read };
  const added = newDocument(ann, COLLECTION, { grants: random() < 0.5 ? [toBob] : [] });
  const grants = random() < 0.5 ? [toBob] : [];
  const steps: readonly Step[] = [
    ({ documents }) => documents.add(added),
    ({ documents }) =>
      documents.replace(address, EVERYTHING, { content: '{"b":1}', by: NOBODY, updated: NOW, version: null }),
    ({ documents }) => documents.grant(address, EVERYTHING, toBob),
    ({ documents }) => documents.revoke(address, EVERYTHING, { principal: toBob.principal, action: 'read' }),
    ({ documents }) => documents.setGrants(address, EVERYTHING, grants),
    ({ documents }) => documents.remove(address, EVERYTHING),
  ];
  return steps[below(steps.length)] as Step;
}

class RolledBack extends Error {}

/** A transaction that takes each step, and ends, only when it is told to. */
function begin() {
  const gates = Array.from({ length: STEPS + 1 }, createLatch);
  const taken = gates.map(createLatch);
  const steps = Array.from({ length: STEPS }, randomStep);
  const fails = random() < 0.2;
  const ended = storage
    .transaction(async (stores) => {
      for (const [i, step] of steps.entries()) {
        await gates[i]?.opened;
        await step(stores);
        taken[i]?.open();
      }
      await gates[STEPS]?.opened;
      if (fails) throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    })
    .finally(() => taken[STEPS]?.open());
  let at = 0;
  return {
    ended,
    get isOver() {
      return at > STEPS;
    },
    /** Takes the next step, which may have to wait for another transaction. */
    async next(): Promise<void> {
      gates[at]?.open();
      await Promise.race([taken[at]?.opened, pause(BLOCKED)]);
      at++;
    },
  };
}

async function round(): Promise<void> {
  const documents = Array.from({ length: SHARED }, () => newDocument(ann, COLLECTION));
  shared = documents.map(({ id }) => id);
  for (const document of documents) await storage.documents.add(document);
  const transactions = Array.from({ length: TRANSACTIONS }, begin);
  for (let open = transactions; open.length > 0; open = open.filter(({ isOver }) => !isOver)) {
    await open[below(open.length)]?.next();
    for (const reader of readers) await reader.read(1 + below(3));
  }
  await Promise.all(transactions.map(({ ended }) => ended));
  await untilReadable();
  for (const reader of readers) await reader.expectComplete();
}

/** Waits until everything that was committed can be read. */
async function untilReadable(): Promise<void> {
  await storage.changes.markVisibility([{ audience: '*', collection: null, reason: 'setting' }], NOW);
  const mark = await storage.changes.visibilityChange({ since: 0, audiences: ['*'], collections: null });
  await until(async () => (await storage.changes.state()).horizon > (mark?.position ?? 0));
}

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  storage = createPostgresStorage({ url: database.url, logger: silentLogger, connections: TRANSACTIONS + 2 });
  await storage.collections.add({ id: newDocument('', '').id, name: COLLECTION, created: NOW });
  ann = (await addUser(storage, 'Ann')).id;
  bob = (await addUser(storage, 'Bob')).id;
  readers = [EVERYTHING, accessScopeOfUser(ann), accessScopeOfUser(bob), ANYBODY].map((scope) => createReader(scope));
});
afterAll(async () => {
  await storage.close();
  await drop();
});

it(
  `lose no change, in ${ROUNDS} rounds with seed ${SEED}`,
  async () => {
    for (let i = 0; i < ROUNDS; i++) await round();
  },
  PATIENCE_MS * ROUNDS,
);
