import type { Random } from '../authorization/steps.ts';
import { createLatch, PATIENCE_MS, pause, until } from '../patience.ts';
import { type EventStream, openEventStream, type StreamEvent } from './event-stream.ts';
import type { Sender } from './http.ts';
import { openSocketStream } from './socket-stream.ts';

export interface ReplicaDeps {
  readonly name: string;
  /** Null for an anonymous client. */
  readonly token: string | null;
  readonly appCode: string;
  readonly collections: readonly string[];
  readonly random: Random;
  readonly sender: Sender;
  /** True to follow the feed over a socket, false over a stream. */
  readonly isSocket: boolean;
  /** True to receive the last changes on the connection that is open then, false on a new one. */
  readonly staysOpen: boolean;
  /** Returns the address of a node that is assumed to be running. */
  node(): string;
}

interface Row {
  readonly id: string;
  readonly '@version': number;
}

const PAGE = 500;
/** Fraction of events after which the client cuts its connection. */
const CUTS_PER_EVENT = 0.02;
const RETRY_MS = 20;
const TOO_MANY = 429;
/** Maximum time that a client stays disconnected after a cut, in milliseconds. */
const AWAY_MS = 200;

/** Statistics of a client. */
interface ReplicaStatistics {
  events: number;
  connections: number;
  resyncs: number;
  /** Number of streams that ended without an `end` from the server, and not by the client. */
  broken: number;
  /** Number of `end` events by code. */
  readonly ends: Map<string, number>;
}

/**
 * A client with a copy of all its readable documents. It resumes its stream after each interruption, and sometimes cuts
 * the connection itself.
 */
export function createReplica({ name, token, appCode, collections, random, sender, ...deps }: ReplicaDeps) {
  const { isSocket, staysOpen, node } = deps;
  const rows = new Map<string, Row>();
  /** Newest streamed version of each document. */
  const versions = new Map<string, number>();
  /** Ids and contents of all received documents. */
  const seen = new Map<string, unknown>();
  const faults: string[] = [];
  const statistics: ReplicaStatistics = { events: 0, connections: 0, resyncs: 0, broken: 0, ends: new Map() };
  const headers = { 'x-service-appcode': appCode, ...(token === null ? {} : { 'x-bb-session': token }) };
  const query = collections.map((collection) => `collection=${collection}`).join('&');
  let cursor = '0';
  let stream: EventStream | null = null;
  let isStopped = false;
  let canCut = true;
  let ready = createLatch();
  /** True if the end of the connection was caused by the client or announced by the server. */
  let isExpected = false;
  /** True if a stream reported that the set of readable documents has changed. */
  let mustList = false;

  /** Returns the rows of a collection; null if a node did not respond. */
  async function rowsOf(collection: string): Promise<Row[] | null> {
    const found: Row[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const url = `${node()}/document/${collection}?recordsPerPage=${PAGE}${next}`;
      const { status, body } = await sender.send('GET', url, { token });
      if (status !== 200) return null;
      found.push(...body.data);
      next = body.more ? `&cursor=${encodeURIComponent(body.next)}` : null;
    }
    return found;
  }

  async function list(): Promise<Map<string, Row>> {
    for (;;) {
      const lists = await Promise.all(collections.map(rowsOf));
      if (lists.every((one) => one !== null)) return new Map(lists.flat().map((row) => [row.id, row]));
      await pause(RETRY_MS);
    }
  }

  function put(row: Row, version: number): void {
    const newest = versions.get(row.id) ?? 0;
    if (version < newest) faults.push(`version ${version} of ${row.id} came after ${newest}, at ${cursor}`);
    versions.set(row.id, version);
    seen.set(row.id, row);
    // A list read meanwhile may be newer.
    if (version >= (rows.get(row.id)?.['@version'] ?? 0)) rows.set(row.id, row);
  }

  const events: Readonly<Record<string, (data: StreamEvent['data']) => void>> = {
    put: ({ document, version }) => put(document, version),
    gone({ id }) {
      if (!seen.has(id)) seen.set(id, null);
      rows.delete(id);
    },
    ready: () => ready.open(),
    resync() {
      statistics.resyncs++;
      mustList = true;
    },
    end({ code }) {
      isExpected = true;
      statistics.ends.set(code, (statistics.ends.get(code) ?? 0) + 1);
    },
  };

  function on({ event, data }: StreamEvent): void {
    statistics.events++;
    const take = events[event];
    if (take === undefined) faults.push(`unknown event ${event}`);
    else take(data);
    if (mustList || (canCut && random.chance(CUTS_PER_EVENT))) {
      isExpected = true;
      stream?.close();
    }
  }

  async function listAgain(): Promise<void> {
    const found = await list();
    rows.clear();
    for (const [id, row] of found) {
      rows.set(id, row);
      seen.set(id, row);
    }
    mustList = false;
  }

  function open(): EventStream {
    const onId = (id: string) => {
      cursor = id;
    };
    if (isSocket) return openSocketStream(node(), { headers, collections, since: cursor, on, onId });
    const from = cursor === '0' ? '&since=0' : '';
    return openEventStream(`${node()}/changes/stream?${query}${from}`, {
      headers: { ...headers, ...(from === '' ? { 'last-event-id': cursor } : {}) },
      on,
      onId,
    });
  }

  async function refused(status: number, text: string): Promise<void> {
    // A killed node did not respond, or an earlier connection of this client still counts.
    const isExcused = status === 0 || status === TOO_MANY || status >= 500;
    if (!isExcused) faults.push(`the stream was answered ${status}: ${text}`);
    await pause(RETRY_MS);
  }

  /** Runs one connection until it ends. */
  async function connect(): Promise<void> {
    if (mustList) await listAgain();
    if (isStopped) return; // while the lists were read: nothing would close another stream
    isExpected = false;
    statistics.connections++;
    stream = open();
    const { status, text } = await stream.answered;
    await stream.ended;
    if (status !== 200) return refused(status, text);
    if (!isExpected) statistics.broken++;
    if (canCut && !mustList) await pause(random.below(AWAY_MS));
  }

  async function differencesNow(): Promise<string[]> {
    const fresh = await list();
    return Array.from(new Set([...rows.keys(), ...fresh.keys()])).flatMap((id) => {
      const [own, current] = [JSON.stringify(rows.get(id)), JSON.stringify(fresh.get(id))];
      return own === current ? [] : [`has ${own} instead of ${current}, at ${cursor}`];
    });
  }

  async function run(): Promise<void> {
    while (!isStopped) await connect();
  }
  const running = run();

  return {
    name,
    faults,
    statistics,
    seen: seen as ReadonlyMap<string, unknown>,
    /** Receives all remaining changes. Call it when there are no more changes. */
    async settle(): Promise<void> {
      canCut = false;
      if (staysOpen) return;
      ready = createLatch();
      isExpected = true;
      stream?.close();
      await ready.opened;
      await until(() => !mustList);
    },
    /**
     * Returns the faults, and the remaining differences between the copy and a fresh list. On Postgres, transactions of
     * other tests on the same server may delay committed changes.
     */
    async compare(): Promise<readonly string[]> {
      const deadline = Date.now() + PATIENCE_MS;
      let differences = await differencesNow();
      while (differences.length > 0 && Date.now() < deadline) {
        await pause(RETRY_MS);
        differences = await differencesNow();
      }
      return [...faults, ...differences].map((fault) => `${name}: ${fault}`);
    },
    async stop(): Promise<void> {
      isStopped = true;
      isExpected = true;
      stream?.close();
      await running;
    },
  };
}

export type Replica = ReturnType<typeof createReplica>;
