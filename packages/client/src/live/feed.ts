import { BaobabError, type ErrorCode } from '../errors.ts';
import { criteriaParams, NO_CRITERIA, withField } from '../query/criteria.ts';
import type { LiveRequest } from '../query/live.ts';
import type { Api } from '../transport/api.ts';
import { sleep } from '../transport/limits.ts';
import type { Change, DocumentFields } from '../wire.ts';
import { createEventParser, type StreamEvent } from './events.ts';

/** What arrived at once. */
export interface Batch {
  readonly changes: readonly Change[];
  /** From where to go on; null before there is something. */
  readonly cursor: string | null;
  /** Everything up to now has arrived. */
  readonly isReady: boolean;
  /** The rows have to be listed again. */
  readonly isStale: boolean;
}

/** What to follow. A condition is possible for one collection. */
interface FeedRequest extends Pick<LiveRequest, 'path' | 'criteria'> {
  readonly collection: string | readonly string[];
}

export interface FeedDeps {
  readonly api: Api;
  readonly request: FeedRequest;
  readonly signal: AbortSignal;
}

/** A stream sends something at least every 15 seconds. Milliseconds. */
const SILENCE_MS = 45_000;
const POLL_MS = 5_000;
/** Changes in a page, so that the ids of their documents fit into a URL. */
const POLLED = 100;

const CHANGES = '/changes';

/** The current cursor. */
export async function currentCursor({ api, request, signal }: FeedDeps): Promise<string | null> {
  return (await api.list(CHANGES, { collection: request.collection }, { signal })).next;
}

/** The part of the criteria that says which documents are meant. */
const conditionOf = ({ criteria: { where, params } }: FeedRequest) => criteriaParams({ ...NO_CRITERIA, where, params });

/** @throws `client.answer` */
function changeIn({ data }: StreamEvent): Change {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new BaobabError('client.answer', 'An event of the stream is not JSON', { status: 200, cause });
  }
}

function batchOf(events: readonly StreamEvent[], cursor: string | null): Batch {
  const has = (type: string) => events.some((event) => event.type === type);
  const changes = events.filter(({ type }) => type === 'put' || type === 'gone').map(changeIn);
  return { changes, cursor, isReady: has('ready'), isStale: has('resync') };
}

/** The bytes that come next; null at the end, also when the connection broke. */
async function nextOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
  try {
    return (await reader.read()).value ?? null;
  } catch {
    return null;
  }
}

async function* eventsIn(body: ReadableStream<Uint8Array>, cut: () => void): AsyncGenerator<Batch, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = createEventParser();
  for (;;) {
    const timer = setTimeout(cut, SILENCE_MS);
    const bytes = await nextOf(reader);
    clearTimeout(timer);
    if (bytes === null) return;
    yield batchOf(parser.take(decoder.decode(bytes, { stream: true })), parser.lastId());
  }
}

/** React Native does not answer a stream before its end, and its responses have no body that can be read. */
const canStream = () => typeof ReadableStream !== 'undefined' && 'body' in Response.prototype;

async function* streamed({ api, request, signal }: FeedDeps, since: string): AsyncGenerator<Batch, void, undefined> {
  const controller = new AbortController();
  const cut = () => controller.abort();
  signal.addEventListener('abort', cut);
  try {
    const response = await api.transport.fetch({
      method: 'GET',
      path: `${CHANGES}/stream`,
      query: { collection: request.collection, since, ...conditionOf(request) },
      repeat: 'never',
      options: { signal: controller.signal },
    });
    const { body, headers, status } = response;
    if (!headers.get('Content-Type')?.startsWith('text/event-stream')) {
      throw new BaobabError('client.answer', 'The answer is not a stream of events', { status });
    }
    if (body) yield* eventsIn(body, cut);
    else yield* polled({ api, request, signal }, since);
  } finally {
    signal.removeEventListener('abort', cut);
    cut();
  }
}

/** The changes with the condition applied, as a stream would send them. */
async function matching({ api, request, signal }: FeedDeps, changes: readonly Change[]): Promise<readonly Change[]> {
  const ids = changes.filter(({ type }) => type === 'put').map(({ id }) => id);
  if (request.criteria.where.length === 0 || ids.length === 0) return changes;
  const criteria = withField(
    { ...NO_CRITERIA, ...request.criteria, orderBy: [] },
    { path: 'id', operator: 'in', value: ids },
  );
  const { data } = await api.list<readonly DocumentFields[]>(
    request.path,
    { ...criteriaParams(criteria), recordsPerPage: POLLED },
    { signal },
  );
  const found = new Map(data.map((document) => [document.id, document]));
  return changes.map((change) => {
    const document = found.get(change.id);
    return document === undefined ? { ...change, type: 'gone' } : { ...change, document };
  });
}

async function* polled(deps: FeedDeps, since: string): AsyncGenerator<Batch, void, undefined> {
  const { api, request, signal } = deps;
  for (let cursor = since; ; ) {
    const query = { collection: request.collection, since: cursor, limit: POLLED };
    const { data, more, next } = await api.list<readonly Change[]>(CHANGES, query, { signal });
    cursor = next ?? cursor;
    yield { changes: await matching(deps, data), cursor, isReady: !more, isStale: false };
    if (!more) await sleep(POLL_MS, signal);
  }
}

/** What changes from a cursor on. It ends when the connection ends. @throws `BaobabError` when there is none */
export const feedOf = (deps: FeedDeps, since: string) => (canStream() ? streamed(deps, since) : polled(deps, since));

/** The service cannot go on from a cursor: the rows have to be listed again. */
const STALE: readonly ErrorCode[] = ['changes.cursor_expired', 'changes.cursor_invalid', 'changes.resync_required'];

export const isStale = ({ code }: BaobabError) => STALE.includes(code);
