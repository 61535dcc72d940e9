import type { Answer, Call, CallOptions } from '../backend.ts';
import { pause } from '../patience.ts';
import { Difference } from './checks.ts';
import type { ModelDocument, Oracle } from './oracle.ts';
import { type Caller, COLLECTIONS, SUBSCRIBERS, USERS } from './steps.ts';

/** A client that copies all data readable by its caller, by the change feed alone. */
interface Subscriber {
  readonly caller: Caller;
  readonly collections: readonly number[];
  readonly limit: number;
  /** Null before the first sync. */
  cursor: string | null;
  /** Document rows by id. */
  readonly replica: Map<string, Row>;
  /** Newest received version of each document. */
  readonly versions: Map<string, number>;
  /** Documents that the caller could read at any time since the cursor. */
  readonly known: Set<ModelDocument>;
}

interface Row {
  readonly id: string;
  readonly n: number;
  readonly '@version': number;
  /** Null: a removed user. The removal is no change of the document, so that copies keep the name. */
  readonly _updated_by: string | null;
}

type Change =
  | { readonly type: 'put'; readonly id: string; readonly version: number; readonly document: Row }
  | { readonly type: 'gone'; readonly id: string };

const ALL = Array.from({ length: COLLECTIONS }, (_, place) => place);
const CALLERS: readonly Caller[] = ['anonymous', 'admin', ...Array.from({ length: USERS }, (_, place) => place)];
/** Pause before another look at a feed that has not arrived, in milliseconds. */
const PAUSE_MS = 20;
/** Page sizes, alternating. */
const LIMITS = [500, 7, 3];

/** Creates one subscriber per caller, and others that follow one collection only. */
function createSubscribers(): Subscriber[] {
  return Array.from({ length: SUBSCRIBERS }, (_, at) => ({
    caller: CALLERS[at % CALLERS.length] ?? 'admin',
    collections: at < CALLERS.length ? ALL : [at % COLLECTIONS],
    limit: LIMITS[at % LIMITS.length] ?? 1,
    cursor: null,
    replica: new Map(),
    versions: new Map(),
    known: new Set(),
  }));
}

export interface SubscribersDeps {
  readonly call: Call;
  readonly oracle: Oracle;
  credentials(caller: Caller): CallOptions;
  collectionName(place: number): string;
  /** Returns a document by its id on the server, including deleted ones. */
  documentOf(id: string): ModelDocument | undefined;
  /** Maximum wait for the feed to agree with a list, in milliseconds. Alone on a backend, it agrees without a wait. */
  readonly patience: number;
}

/** Creates the subscribers of a run. The received changes are checked against the oracle. */
export function createSubscriptions(deps: SubscribersDeps) {
  const { call, oracle, credentials, collectionName, documentOf, patience } = deps;
  const subscribers = createSubscribers();

  const get = ({ caller }: Subscriber, url: string) => call('GET', url, credentials(caller));

  function fail(subscriber: Subscriber, what: string): never {
    const { caller, collections, cursor } = subscriber;
    throw new Difference(`subscriber ${caller} to ${collections.map(collectionName)} at ${cursor}: ${what}`);
  }

  function expectOk(subscriber: Subscriber, { status, text }: Answer): void {
    if (status !== 200) fail(subscriber, `${status}: ${text}`);
  }

  function changesUrl({ collections, limit }: Subscriber, since: string | null): string {
    const names = collections.map((place) => `collection=${collectionName(place)}`);
    return `/changes?${names.join('&')}&limit=${limit}${since === null ? '' : `&since=${encodeURIComponent(since)}`}`;
  }

  const visible = ({ caller, collections }: Subscriber) =>
    collections.flatMap((place) => oracle.visible(caller, place));

  const canRead = ({ caller, collections }: Subscriber, document: ModelDocument) =>
    collections.includes(document.collection) && oracle.couldRead(caller, document);

  async function rows(subscriber: Subscriber): Promise<Row[]> {
    const found: Row[] = [];
    for (const place of subscriber.collections) {
      const answer = await get(subscriber, `/document/${collectionName(place)}?recordsPerPage=500`);
      expectOk(subscriber, answer);
      found.push(...answer.data);
    }
    return found;
  }

  function take(subscriber: Subscriber, row: Row): void {
    const document = documentOf(row.id);
    if (document === undefined || !canRead(subscriber, document)) {
      fail(subscriber, `received ${row.id}, which the caller may not read`);
    }
    const version = row['@version'];
    if (version < (subscriber.versions.get(row.id) ?? 0)) {
      fail(subscriber, `received version ${version} of ${row.id} after a newer one`);
    }
    subscriber.versions.set(row.id, version);
    subscriber.known.add(document);
    subscriber.replica.set(row.id, row);
  }

  async function listAgain(subscriber: Subscriber): Promise<void> {
    subscriber.replica.clear();
    for (const row of await rows(subscriber)) take(subscriber, row);
  }

  function apply(subscriber: Subscriber, change: Change): void {
    if (change.type === 'put') {
      if (change.version !== change.document['@version'] || change.id !== change.document.id) {
        fail(subscriber, `received a change that contradicts its document: ${JSON.stringify(change)}`);
      }
      take(subscriber, change.document);
      return;
    }
    const document = documentOf(change.id);
    if (document === undefined || !subscriber.known.has(document)) {
      fail(subscriber, `was told that ${change.id} is gone, which the caller could not read before`);
    }
    if (canRead(subscriber, document)) fail(subscriber, `was told that ${change.id} is gone, which it is not`);
    subscriber.replica.delete(change.id);
  }

  /** Starts with a list, or with the beginning of the feed. */
  async function begin(subscriber: Subscriber, at: number): Promise<void> {
    subscriber.cursor = '0';
    if (at % 2 === 0) return;
    const answer = await get(subscriber, changesUrl(subscriber, null));
    expectOk(subscriber, answer);
    if (answer.data.length > 0) fail(subscriber, 'received changes without a cursor');
    subscriber.cursor = answer.body.next;
    await listAgain(subscriber);
  }

  /** Reads a page. Resolves to true if there are more. */
  async function readPage(subscriber: Subscriber): Promise<boolean> {
    const answer = await get(subscriber, changesUrl(subscriber, subscriber.cursor));
    if (answer.status === 409 && answer.body.code === 'changes.resync_required') {
      subscriber.cursor = answer.body.since;
      await listAgain(subscriber);
      return true;
    }
    expectOk(subscriber, answer);
    if (answer.data.length > subscriber.limit) fail(subscriber, 'received more changes than it asked for');
    for (const change of answer.data) apply(subscriber, change);
    subscriber.cursor = answer.body.next;
    return answer.body.more;
  }

  /** Reads the feed to its end. Callers who cannot sign in are skipped. */
  async function catchUp(at: number): Promise<void> {
    const subscriber = subscribers[at];
    if (subscriber === undefined || !oracle.canSignIn(subscriber.caller)) return;
    if (subscriber.cursor === null) await begin(subscriber, at);
    while (await readPage(subscriber));
  }

  const byId = (a: Row, b: Row) => (a.id < b.id ? -1 : 1);

  /** Reads the feed and a list. Resolves to the replica and the list as texts. */
  async function copiesOf(subscriber: Subscriber, at: number) {
    await catchUp(at);
    const fresh = await rows(subscriber);
    for (const { id, _updated_by } of fresh) {
      const copy = subscriber.replica.get(id);
      if (_updated_by === null && copy !== undefined) subscriber.replica.set(id, { ...copy, _updated_by });
    }
    const replica = Array.from(subscriber.replica.values());
    const [found, expected] = [replica, fresh].map((all) => JSON.stringify(all.toSorted(byId)));
    return { found, expected, fresh };
  }

  return {
    catchUp,
    /** Compares a replica with a fresh list. The feed must be at its end. @throws `Difference` */
    async compare(at: number): Promise<void> {
      const subscriber = subscribers[at];
      if (subscriber === undefined || !oracle.canSignIn(subscriber.caller)) return;
      const end = performance.now() + patience;
      let copies = await copiesOf(subscriber, at);
      // The feed answers nothing while other runs change permissions and older transactions are open on the server, even
      // unrelated ones: their length decides, not that of anything here.
      while (copies.found !== copies.expected && performance.now() < end) {
        await pause(PAUSE_MS);
        copies = await copiesOf(subscriber, at);
      }
      const { found, expected, fresh } = copies;
      if (found !== expected)
        fail(subscriber, `has another copy than a list\n  found    ${found}\n  expected ${expected}`);
      const seen = visible(subscriber);
      if (seen.length !== fresh.length) fail(subscriber, `lists ${fresh.length} documents instead of ${seen.length}`);
      subscriber.known.clear();
      for (const document of seen) subscriber.known.add(document);
    },
    /** Records the current readers of a document. Suspended users count, because they can read it once reactivated. */
    note(document: ModelDocument | undefined): void {
      if (document === undefined) return;
      for (const caller of CALLERS) {
        if (!oracle.couldRead(caller, document)) continue;
        for (const subscriber of subscribers) if (subscriber.caller === caller) subscriber.known.add(document);
      }
    },
    /** Replaces a caller by another user. */
    restart(caller: Caller): void {
      for (const subscriber of subscribers) {
        if (subscriber.caller !== caller) continue;
        subscriber.cursor = null;
        subscriber.replica.clear();
        subscriber.versions.clear();
        subscriber.known.clear();
      }
    },
  };
}
