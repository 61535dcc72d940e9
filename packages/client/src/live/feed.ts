import { BaobabError, type ErrorCode } from '../errors.ts';
import { criteriaParams, NO_CRITERIA, withField } from '../query/criteria.ts';
import type { LiveRequest } from '../query/live.ts';
import type { Api } from '../transport/api.ts';
import { sleep } from '../transport/limits.ts';
import type { Change, DocumentFields } from '../wire.ts';
import { createEventParser, type StreamEvent } from './events.ts';

/** Changes that arrived together. */
export interface Batch {
  readonly changes: readonly Change[];
  /** Cursor to resume from; null before the first one. */
  readonly cursor: string | null;
  /** True if all changes up to now have arrived. */
  readonly isReady: boolean;
  /** True if the rows must be listed again. */
  readonly isStale: boolean;
}

/** The subscription. A filter is allowed for a single collection only. */
export interface FeedRequest extends Pick<LiveRequest, 'path' | 'criteria'> {
  readonly collection: string | readonly string[];
}

export interface FeedDeps {
  readonly api: Api;
  readonly request: FeedRequest;
  readonly signal: AbortSignal;
}

/**
 * Time without data, in milliseconds, until a stream is considered dead. A stream sends something at least every 15
 * seconds.
 */
const SILENCE_MS = 45_000;
const POLL_MS = 5_000;
/** Changes per page, chosen so that the ids of their documents fit into a URL. */
const POLLED = 100;

const CHANGES = '/changes';

/** Returns the current cursor of the feed. */
export async function currentCursor({ api, request, signal }: FeedDeps): Promise<string | null> {
  return (await api.list(CHANGES, { collection: request.collection }, { signal })).next;
}

/** Returns the query parameters of the filter, without order and fields. */
export const conditionOf = ({ criteria: { where, params } }: FeedRequest) =>
  criteriaParams({ ...NO_CRITERIA, where, params });

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

/** Reads the next bytes; returns null at the end, or after a broken connection. */
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

/** React Native returns a streamed response only when it is complete, and its responses have no readable body. */
const canStream = () => typeof ReadableStream !== 'undefined' && 'body' in Response.prototype;

/** Reads a stream of the changes in all requested collections, without the filter. */
async function* streamed(deps: FeedDeps, since: string): AsyncGenerator<Batch, void, undefined> {
  const { api, request, signal } = deps;
  const controller = new AbortController();
  const cut = () => controller.abort();
  signal.addEventListener('abort', cut);
  try {
    const response = await api.transport.fetch({
      method: 'GET',
      path: `${CHANGES}/stream`,
      query: { collection: request.collection, since },
      repeat: 'never',
      options: { signal: controller.signal },
    });
    const { body, headers, status } = response;
    if (!headers.get('Content-Type')?.toLowerCase().startsWith('text/event-stream')) {
      throw new BaobabError('client.answer', 'The answer is not a stream of events', { status });
    }
    if (body) yield* eventsIn(body, cut);
    else yield* polled(deps, since);
  } finally {
    signal.removeEventListener('abort', cut);
    cut();
  }
}

/** Applies the filter to changes, like a subscription does. */
export async function matching(
  { api, request, signal }: FeedDeps,
  changes: readonly Change[],
): Promise<readonly Change[]> {
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

/** Reads pages up to now. The last one is ready. */
export async function* pagesOf(
  { api, request, signal }: FeedDeps,
  since: string,
): AsyncGenerator<Batch, void, undefined> {
  for (let cursor = since, more = true; more; ) {
    const query = { collection: request.collection, since: cursor, limit: POLLED };
    const page = await api.list<readonly Change[]>(CHANGES, query, { signal });
    more = page.more;
    cursor = page.next ?? cursor;
    yield { changes: page.data, cursor, isReady: !more, isStale: false };
  }
}

async function* polled(deps: FeedDeps, since: string): AsyncGenerator<Batch, void, undefined> {
  for (let cursor = since; ; ) {
    for await (const batch of pagesOf(deps, cursor)) {
      cursor = batch.cursor ?? cursor;
      yield batch;
    }
    await sleep(POLL_MS, deps.signal);
  }
}

/**
 * Returns the changes in all requested collections since a cursor, without the filter, over a stream or by polling. Ends
 * when the connection ends. @throws `BaobabError` if there is no connection
 */
export const unfilteredFeed = (deps: FeedDeps, since: string) =>
  canStream() ? streamed(deps, since) : polled(deps, since);

/** The server cannot resume from the cursor, so the rows must be listed again. */
const STALE: readonly ErrorCode[] = ['changes.cursor_expired', 'changes.cursor_invalid', 'changes.resync_required'];

export const isStale = ({ code }: BaobabError) => STALE.includes(code);
