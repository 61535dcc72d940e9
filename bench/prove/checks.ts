import { isDeepStrictEqual } from 'node:util';
import type { Client } from './client.ts';
import { contentOf, digest, type Ledger } from './ledger.ts';
import { BATCH } from './workload.ts';

/** Access of a check to the server. */
export interface Viewer {
  readonly client: Client;
  readonly address: string;
  /** Session tokens of an administrator, of the author of all documents, and of the user they are shared with. */
  readonly admin: string;
  readonly writer: string;
  readonly reader: string;
}

/** A document in a response. */
interface Shown {
  readonly id: string;
  readonly '@version': number;
  readonly [field: string]: unknown;
}

const PAGE = 1000;
/** Maximum wait for the change feed. On Postgres, a change appears after all older transactions have ended. */
const FEED_LIMIT_MS = 20_000;
const FEED_PAUSE_MS = 100;
const MAX_SHOWN = 5;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Returns all documents of a collection that a session can read. */
async function listAll({ client, address }: Viewer, collection: string, token: string): Promise<Map<string, Shown>> {
  const documents = new Map<string, Shown>();
  for (let next = ''; ; ) {
    const url = `${address}/document/${collection}?recordsPerPage=${PAGE}${next}`;
    const { body } = await client.expect('GET', url, { token });
    for (const one of body.data) documents.set(one.id, one);
    if (!body.more) return documents;
    next = `&cursor=${body.next}`;
  }
}

/** Returns the members of a document that are not managed by the server. */
function contentIn(document: Shown): Record<string, unknown> {
  const own = Object.entries(document).filter(([name]) => name !== 'id' && !/^[@_]/.test(name));
  return Object.fromEntries(own);
}

function isWhole(document: Shown): boolean {
  const { batch, ...content } = contentIn(document) as { key: string; value: number; batch?: string };
  return isDeepStrictEqual(content, contentOf(content.key, content.value));
}

/** Returns problems of documents whose creation was acknowledged. */
function knownFaults(ledger: Ledger, stored: ReadonlyMap<string, Shown>, granted: ReadonlySet<string>): string[] {
  return Array.from(ledger.documents).flatMap(([id, { exists, values, granted: grants }]) => {
    const found = stored.get(id);
    if (!exists.includes(found !== undefined)) return [`document ${id} ${found ? 'is back' : 'is lost'}`];
    if (found === undefined) return [];
    if (!values.includes(Number(found.value))) return [`document ${id} has ${found.value} instead of ${values}`];
    return grants.includes(granted.has(id)) ? [] : [`the grant of document ${id} is ${granted.has(id)}`];
  });
}

/** Returns problems that do not depend on acknowledgements: incomplete documents, and more documents than were sent. */
function strangeFaults(ledger: Ledger, stored: ReadonlyMap<string, Shown>): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [id, document] of stored) {
    if ('pair' in document || 'items' in document) continue;
    const key = String(document.key);
    if (!isWhole(document)) faults.push(`document ${id} is half: ${JSON.stringify(document).slice(0, 200)}`);
    if (seen.has(key)) faults.push(`${key} was created twice`);
    seen.add(key);
    const isExplained = 'batch' in document || ledger.documents.has(id) || ledger.unanswered.has(key);
    if (!isExplained) faults.push(`document ${id} was never sent`);
  }
  return faults;
}

function batchFaults({ batches, pairs }: Ledger, stored: ReadonlyMap<string, Shown>): string[] {
  const counts = new Map<unknown, number>();
  for (const { batch } of stored.values()) if (batch !== undefined) counts.set(batch, (counts.get(batch) ?? 0) + 1);
  const whole = Array.from(batches).flatMap(([name, isAcknowledged]) => {
    const count = counts.get(name) ?? 0;
    if (count === BATCH || (count === 0 && !isAcknowledged)) return [];
    return [`${count} of ${BATCH} documents of batch ${name} are stored, acknowledged: ${isAcknowledged}`];
  });
  const together = pairs.flatMap(({ ids, values }) => {
    const [a, b] = ids.map((id) => Number(stored.get(id)?.value));
    const isRight = a !== undefined && b !== undefined && a + b === 0 && values.includes(a);
    return isRight ? [] : [`the pair ${ids} has ${a} and ${b} instead of ${values}`];
  });
  return [...whole, ...together];
}

function appendFaults({ appended, shared }: Ledger, stored: ReadonlyMap<string, Shown>): string[] {
  const items = (stored.get(shared)?.items ?? []) as string[];
  const kept = new Set(items);
  const lost = Array.from(appended).filter(([key, isAcknowledged]) => isAcknowledged && !kept.has(key));
  return [
    ...lost.map(([key]) => `the element ${key} is lost`),
    ...(kept.size === items.length ? [] : [`${items.length - kept.size} elements were appended twice`]),
    ...items.filter((key) => !appended.has(key)).map((key) => `the element ${key} was never sent`),
  ];
}

/** Returns problems of the writer's files. Every listed file must be complete. */
async function fileFaults({ client, address, writer }: Viewer, { files }: Ledger): Promise<string[]> {
  const faults: string[] = [];
  for (const [id, { sha256, exists }] of files) {
    const { status, bytes } = await client.send('GET', `${address}/file/${id}`, { token: writer });
    const isThere = status === 200;
    if (!isThere && status !== 404) faults.push(`file ${id} answers ${status}`);
    else if (!exists.includes(isThere)) faults.push(`file ${id} is ${isThere ? 'back' : 'lost'}`);
    else if (isThere && digest(bytes) !== sha256) faults.push(`file ${id} has other bytes`);
  }
  return faults;
}

/** Returns the current cursor of the feed. */
export async function feedCursor({ client, address, admin }: Viewer): Promise<string> {
  const { body } = await client.expect('GET', `${address}/changes`, { token: admin });
  return body.next;
}

/** Follows the feed to its end. Resolves to the newest state of each document: a version, or `gone`. */
async function follow({ client, address, admin }: Viewer, collection: string, since: string) {
  const states = new Map<string, number | 'gone'>();
  for (let cursor = since; ; ) {
    const url = `${address}/changes?since=${cursor}&collection=${collection}&limit=${PAGE}`;
    const { body } = await client.expect('GET', url, { token: admin });
    for (const { type, id, version } of body.data) states.set(id, type === 'put' ? version : 'gone');
    cursor = body.next;
    if (!body.more) return states;
  }
}

/** Returns the differences between a client that followed the feed and a list. */
async function feedFaults(viewer: Viewer, collection: string, since: string, stored: ReadonlyMap<string, Shown>) {
  const deadline = Date.now() + FEED_LIMIT_MS;
  for (;;) {
    const states = await follow(viewer, collection, since);
    const missing = Array.from(stored.values()).filter((one) => states.get(one.id) !== one['@version']);
    const surplus = Array.from(states).filter(([id, state]) => state !== 'gone' && !stored.has(id));
    if (missing.length === 0 && surplus.length === 0) return [];
    if (Date.now() > deadline) {
      return [`the feed lacks ${missing.length} documents and has ${surplus.length} that do not exist`];
    }
    await pause(FEED_PAUSE_MS);
  }
}

async function countFaults(
  { client, address, admin }: Viewer,
  collection: string,
  expected: number,
): Promise<string[]> {
  const { body } = await client.expect('GET', `${address}/document/${collection}/count`, { token: admin });
  const { count } = body.data;
  return count === expected ? [] : [`the count is ${count}, the list has ${expected}`];
}

/**
 * Returns the problems found after a round.
 *
 * @param since feed cursor before the round; null skips the feed
 */
export async function faultsOf(viewer: Viewer, ledger: Ledger, since: string | null): Promise<string[]> {
  const stored = await listAll(viewer, ledger.collection, viewer.admin);
  const readable = await listAll(viewer, ledger.collection, viewer.reader);
  const granted = new Set(readable.keys());
  const faults = [
    ...knownFaults(ledger, stored, granted),
    ...strangeFaults(ledger, stored),
    ...batchFaults(ledger, stored),
    ...appendFaults(ledger, stored),
    ...(await fileFaults(viewer, ledger)),
    ...(await countFaults(viewer, ledger.collection, stored.size)),
    ...(since === null ? [] : await feedFaults(viewer, ledger.collection, since, stored)),
    ...ledger.odd.map((text) => `unexpected answer: ${text}`),
  ];
  return faults.length > MAX_SHOWN ? [...faults.slice(0, MAX_SHOWN), `and ${faults.length - MAX_SHOWN} more`] : faults;
}
