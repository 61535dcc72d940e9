import { addToSet, append, increment, type SessionStorage } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import { type ConflictDecision, mergeFields, type RefusedWrite } from '@baobab/client/offline';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { PASSWORD } from '../support/client-service.ts';
import { fetchInProcess } from '../support/in-process.ts';
import { type App, type Device, type Fault, type Note, openDevice } from '../support/offline/world.ts';
import { randomRuns } from '../support/parts.ts';

/** `OFFLINE_SEED` and `OFFLINE_ROUNDS` repeat a run that failed, and make a longer one. */
const seed = Number(process.env.OFFLINE_SEED ?? Date.now() % 1_000_000);
const rounds = Number(process.env.OFFLINE_ROUNDS ?? randomRuns(100));

/** Against what hangs, whatever the number of schedules. */
const TIMEOUT_MS = 900_000 + rounds * 2_000;

/** Devices 0 and 1 are of ann, device 2 is of bob. */
const DEVICES = 3;
/** A service remembers changes, and grows slower: after this number of schedules another one begins. */
const PER_BACKEND = 50;

const device = fc.nat(DEVICES - 1);
/** Number of the document among those that exist. */
const which = fc.nat(100);
const right = fc.constantFrom('read' as const, 'all' as const);
const faults: readonly Fault[] = ['none', 'none', 'drop', 'lost', 'lost', 'twice', 'late', 'killBefore', 'killAfter'];

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), device, isShared: fc.boolean(), which }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('update' as const), device, which, isWide: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('operate' as const), device, which, isWide: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('replace' as const), device, which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), device, which }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('sync' as const), device }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('network' as const), device, isOn: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('faults' as const),
      device,
      faults: fc.array(fc.constantFrom(...faults), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), device }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('late' as const), device }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grant' as const), which, right, isGiven: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('follow' as const), isGiven: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A write that a device has taken. */
interface Taken {
  readonly mark: string;
  readonly kind: string;
  readonly id: string;
  /** The mark of the write that created the document. */
  readonly made: unknown;
}

let current: { readonly backend: TestBackend; left: number } | null = null;
let count = 0;

async function backendOf(): Promise<TestBackend> {
  if (current !== null && current.left-- > 0) return current.backend;
  await current?.backend.close();
  current = { backend: await createTestBackend(), left: PER_BACKEND - 1 };
  return current.backend;
}

function clientOf(backend: TestBackend, storage: SessionStorage): AdminClient<App> {
  const { appCode } = backend;
  return createAdminClient<App>({
    url: 'http://service',
    appCode,
    fetch: fetchInProcess(backend),
    storage,
    keepAlive: 0,
  });
}

/** Storage in which the tabs of a user find the session. */
function createStorage(): SessionStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** Decisions of the app. Each keeps the marks of others, unless it removes the document. */
function createApp(choices: readonly number[]) {
  /** The marks of the writes that were handed over. */
  const handed = new Set<string>();
  /** Number of times that a document became a new one, by the mark of its creation. */
  const copies = new Map<unknown, number>();
  let turn = 0;
  const choice = (of: number) => (choices[turn++ % choices.length] ?? 0) % of;
  const note = ({ content, changes, base }: RefusedWrite) => {
    for (const mark of (changes?.marks?.[1] ?? []) as string[]) handed.add(mark);
    const before = new Set(Object.keys(base ?? {}));
    for (const name of Object.keys(content)) if (!before.has(name)) handed.add(name);
  };

  function renewed(local: Note | null, decision: ConflictDecision): ConflictDecision {
    copies.set(local?.made, (copies.get(local?.made) ?? 0) + 1);
    return decision;
  }

  return {
    handed,
    copies,
    options: {
      onConflict(local: Note | null, remote: Note | null, write: RefusedWrite): ConflictDecision {
        note(write);
        if (remote === null) return choice(2) === 0 || local === null ? 'theirs' : renewed(local, 'mine');
        if (choice(4) === 0) return 'theirs';
        if (local === null || write.kind === 'update') return 'mine';
        return mergeFields(local as never, remote as never, write) as ConflictDecision;
      },
      onRejected(write: RefusedWrite) {
        note(write);
        return choice(4) === 0 ? ('retry' as const) : ('discard' as const);
      },
    },
  };
}

async function openWorld(choices: readonly number[]) {
  const backend = await backendOf();
  const number = ++count;
  const collection = `notes${number}`;
  const [ann, bob] = [createStorage(), createStorage()];
  const admin = clientOf(backend, createStorage());
  await admin.auth.login({ username: 'admin', password: backend.adminPassword });
  await (admin as unknown as AdminClient).admin.collections.create(collection);
  const names = [`ann${number}`, `bob${number}`] as const;
  const users = [clientOf(backend, ann), clientOf(backend, bob)] as const;
  await users[0].auth.signUp({ username: names[0], password: PASSWORD });
  await users[1].auth.signUp({ username: names[1], password: PASSWORD });
  const app = createApp(choices);
  const devices: Device[] = [];
  for (const storage of [ann, ann, bob]) {
    devices.push(await openDevice({ backend, collection, storage, ...app.options }));
  }
  return { admin, collection, names, users, app, devices, taken: [] as Taken[] };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** Exchanges data; a tab that is killed meanwhile is opened again. */
async function sync(one: Device): Promise<void> {
  const { offline, died, state } = one.tab();
  await Promise.race([died, offline.sync().catch(() => undefined)]);
  if (state.isDead) await one.kill();
}

async function write(one: Extract<Step, { which: number; device: number }>, world: World): Promise<void> {
  const { devices, taken, names } = world;
  const at = devices[one.device];
  if (at === undefined) return;
  const { notes } = at.tab();
  const rows = await at.rows();
  const row = rows[one.which % (rows.length + (one.kind === 'create' ? 1 : 0))];
  const mark = `w${taken.length}`;
  if (one.kind === 'create') {
    const grants = one.isShared ? { all: { users: [names[0], names[1]] } } : undefined;
    const { id } = await notes.create({ made: mark, [mark]: true, ...(row && { ref: row.id }) }, { grants });
    taken.push({ mark, kind: 'create', id, made: mark });
    return;
  }
  if (row === undefined) return;
  taken.push({ mark, kind: one.kind, id: row.id, made: row.made });
  if (one.kind === 'update') await notes.update(row.id, { [mark]: true, ...(one.isWide && { last: mark }) });
  else if (one.kind === 'operate') {
    const operators = { operations: increment(1), marks: append(mark), set: addToSet(mark, 'any') };
    await notes.update(row.id, { ...operators, ...(one.isWide && { last: mark }) });
  } else if (one.kind === 'replace') await notes.replace(row.id, { ...row, [mark]: true });
  else await notes.remove(row.id);
}

async function grant(one: Extract<Step, { kind: 'grant' }>, { users: [ann], names, collection }: World): Promise<void> {
  const notes = ann.collection(collection);
  const rows = await notes.query().list();
  const row = rows[one.which % Math.max(1, rows.length)];
  if (row === undefined) return;
  // Those of bob that ann may only read are not hers to share.
  await notes[one.isGiven ? 'grant' : 'revoke'](row.id, one.right, { user: names[1] }).catch(() => undefined);
}

async function play(one: Step, world: World): Promise<unknown> {
  if (one.kind === 'grant') return grant(one, world);
  if (one.kind === 'follow') {
    const { following } = world.users[1];
    return (one.isGiven ? following.follow : following.unfollow)(world.names[0]).catch(() => undefined);
  }
  const at = world.devices[one.device];
  switch (one.kind) {
    case 'sync':
      return at && sync(at);
    case 'kill':
      return at?.kill();
    case 'late':
      return at?.tab().deliverLate();
    case 'network':
      return at && Object.assign(at.tab().state, { isOn: one.isOn });
    case 'faults':
      return at?.tab().faults.push(...one.faults);
    default:
      return write(one, world);
  }
}

/** Ends all faults and exchanges data until nothing waits. */
async function settle({ devices }: World): Promise<void> {
  for (const one of devices) {
    const { state, faults: left, deliverLate } = one.tab();
    state.isOn = true;
    left.length = 0;
    await deliverLate();
  }
  // The last writes of one device reach the others in the second round.
  for (let turn = 0; turn < 2; turn++) for (const one of devices) await sync(one);
}

const sorted = <R extends { readonly id: string }>(rows: readonly R[]) =>
  rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

async function differences({ devices, users, collection }: World): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [at, one] of devices.entries()) {
    const service = await users[at < 2 ? 0 : 1].collection(collection).query().list();
    const here = await one.rows();
    if (JSON.stringify(sorted(here)) !== JSON.stringify(sorted(service))) found.push({ device: at, here, service });
    const { waiting, failed } = one.tab().offline.state;
    if (waiting + failed.length > 0) found.push({ device: at, waiting, failed });
  }
  return found;
}

const listOf = (value: unknown) => (Array.isArray(value) ? value : []) as readonly string[];
const marksOf = ({ marks }: Note) => listOf(marks);

/** Documents whose operators were not all counted exactly once. */
const miscounted = (stored: readonly Note[]) =>
  stored.filter(({ operations = 0, marks, set }) => {
    const all = listOf(marks);
    const elements = [...all, ...(all.length > 0 ? ['any'] : [])].toSorted();
    return (
      operations !== all.length || new Set(all).size !== all.length || `${listOf(set).toSorted()}` !== `${elements}`
    );
  });

/** Writes that are neither in the result nor were handed to the app, and documents that were created twice. */
function accounts({ taken, app: { handed, copies } }: World, stored: readonly Note[]): unknown[] {
  const wrong: unknown[] = [];
  /** Documents that were removed: their marks went with them. */
  const removed = new Set(taken.filter(({ kind }) => kind === 'remove').map(({ made }) => made));
  for (const one of taken) {
    const holders = stored.filter((note) => one.mark in note || marksOf(note).includes(one.mark));
    if (one.kind === 'create') {
      const made = stored.filter(({ made: mark }) => mark === one.mark).length;
      if (made > 1 + (copies.get(one.mark) ?? 0)) wrong.push({ ...one, is: 'stored twice' });
    }
    if (one.kind !== 'remove' && holders.length === 0 && !(handed.has(one.mark) || removed.has(one.made)))
      wrong.push(one);
  }
  return wrong;
}

afterAll(async () => {
  await current?.backend.close();
});

it(
  'ends equal on all devices, and loses no write, whatever happens',
  async () => {
    const choices = fc.array(fc.nat(11), { minLength: 5, maxLength: 20 });
    const steps = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, choices, async (schedule, decisions) => {
        const world = await openWorld(decisions);
        try {
          for (const one of schedule) await play(one, world);
          await settle(world);
          const stored = await world.admin.collection(world.collection).query().list();
          expect({
            different: await differences(world),
            lost: accounts(world, stored),
            miscounted: miscounted(stored),
          }).toEqual({ different: [], lost: [], miscounted: [] });
        } finally {
          for (const one of world.devices) one.close();
          for (const one of [world.admin, ...world.users]) one.close();
        }
      }),
      { numRuns: rounds, seed, endOnFailure: process.env.OFFLINE_SHRINK !== 'on' },
    );
  },
  TIMEOUT_MS,
);
