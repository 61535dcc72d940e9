import type { Baobab, Query, Stored } from '@baobab/client';
import { live } from '@baobab/client/live';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ClientService, nameOf, onEveryService } from '../support/client-service.ts';
import { createCutFetch } from '../support/live/cut-fetch.ts';
import { randomRuns } from '../support/parts.ts';
import { pause, until } from '../support/patience.ts';

interface Note {
  n: number;
  text?: string;
  done?: boolean;
}

interface App {
  collections: { readonly [name: string]: Note };
}

type Notes = ReturnType<Baobab<App>['collection']>;
type NoteQuery = Query<Stored<Note>>;

/** The queries that are followed, with their limits. */
const QUERIES: readonly (readonly [(notes: Notes) => NoteQuery, number | undefined])[] = [
  [(notes) => notes.query(), undefined],
  [(notes) => notes.query().orderBy('n', 'desc').orderBy('text').pageSize(3), 4],
  [(notes) => notes.query().where('done = ?', true).orderBy('_creation_date', 'desc'), 2],
  [(notes) => notes.query().where('n > ?', 2).orderBy('done').orderBy('_update_date'), undefined],
];

const number = fc.nat(5);
/** Number of the document among those that exist. */
const which = fc.nat(100);
const content = fc.record(
  { n: number, text: fc.constantFrom('a', 'b', '😀', '\uFFFD'), done: fc.boolean() },
  { requiredKeys: ['n'] },
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('create' as const), content }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('replace' as const), which, content }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('clear' as const), count: fc.integer({ min: 1, max: 25 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grant' as const), which, isGiven: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('follow' as const), isGiven: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('network' as const), isOn: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(60) }) },
);
/** More than a query with a limit keeps, so that rows that leave have to be replaced. */
const FIRST: readonly Note[] = Array.from({ length: 80 }, (_, at) => ({ n: at % 6, done: at % 2 === 0 }));

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** `LIVE_SEED` and `LIVE_ROUNDS` repeat a run that failed, and make a longer one. */
const seed = Number(process.env.LIVE_SEED ?? Date.now() % 1_000_000);
const rounds = Number(process.env.LIVE_ROUNDS ?? randomRuns(4));

function scenarios(service: ClientService, isSocket: boolean): void {
  /** An author and another user, who both follow all queries. */
  async function open() {
    const net = createCutFetch(service.onFirstNode.fetch);
    const through = isSocket ? net : { fetch: net.fetch };
    const author = await service.user<App>({ live, ...through });
    // Writes go through while the connections of those who listen are cut.
    const writer = service.client<App>();
    await writer.auth.resume(author.auth.session?.token ?? '');
    const reader = await service.user<App>({ live, ...through });
    const name = await service.collection();
    const notes = writer.collection(name);
    const made = await writer.batch(FIRST.map((note) => notes.operations.create(note)));
    const ids = made.map(({ id }) => id);
    const failures: string[] = [];
    const followed = [author, reader].flatMap((user) =>
      QUERIES.map(([queryOf, limit]) => {
        const query = queryOf(user.collection(name));
        let rows: readonly Stored<Note>[] | null = null;
        const stop = query.live(
          (now) => {
            rows = now;
          },
          {
            ...(limit !== undefined && { limit }),
            onError: ({ code }, willRetry) => void (willRetry || failures.push(code)),
          },
        );
        return { query, limit, stop, rows: () => rows };
      }),
    );
    return { net, author, reader, writer, notes, ids, followed, failures };
  }

  type World = Awaited<ReturnType<typeof open>>;

  async function follow(isGiven: boolean, { author, reader }: World): Promise<void> {
    const client = service.client();
    await client.auth.resume(reader.auth.session?.token ?? '');
    const { follow: begin, unfollow } = client.following;
    // It may be so already.
    await (isGiven ? begin : unfollow)(nameOf(author)).catch(() => undefined);
    client.close();
  }

  async function onDocument(one: Extract<Step, { which: number }>, { notes, reader, ids }: World) {
    const at = one.which % ids.length;
    const id = ids[at];
    if (id === undefined) return;
    if (one.kind === 'replace') await notes.replace(id, one.content);
    if (one.kind === 'grant') await notes[one.isGiven ? 'grant' : 'revoke'](id, 'read', { user: nameOf(reader) });
    if (one.kind !== 'remove') return;
    await notes.remove(id);
    ids.splice(at, 1);
  }

  async function clear(count: number, { writer, notes, ids }: World): Promise<void> {
    const some = ids.splice(0, count);
    if (some.length > 0) await writer.batch(some.map((id) => notes.operations.remove(id)));
  }

  async function play(one: Step, world: World): Promise<unknown> {
    switch (one.kind) {
      case 'clear':
        return clear(one.count, world);
      case 'create':
        return world.ids.push((await world.notes.create(one.content)).id);
      case 'cut':
        return world.net.cut();
      case 'network':
        return world.net.setOnline(one.isOn);
      case 'wait':
        return pause(one.ms);
      case 'follow':
        return follow(one.isGiven, world);
      default:
        return onDocument(one, world);
    }
  }

  async function differences({ followed }: World): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const { query, limit, rows } of followed) {
      const fresh = await query.list(limit === undefined ? {} : { limit });
      if (JSON.stringify(fresh) !== JSON.stringify(rows())) found.push({ live: rows(), fresh });
    }
    return found;
  }

  it('ends equal to a fresh list, whatever happens to documents, rights and connections', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
        const world = await open();
        for (const one of steps) await play(one, world);
        world.net.setOnline(true);
        let left: unknown[] = [];
        await until(async () => {
          left = await differences(world);
          return left.length === 0;
        }).catch(() => undefined);
        for (const { stop } of world.followed) stop();
        expect({ left, failures: world.failures }).toEqual({ left: [], failures: [] });
      }),
      { numRuns: rounds, seed, endOnFailure: true },
    );
  });
}

onEveryService('a live query over a socket', (service) => scenarios(service, true));
onEveryService('a live query over a stream', (service) => scenarios(service, false));
