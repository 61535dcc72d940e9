import { type BaobabError, isBaobabError } from '../errors.ts';
import { criteriaParams } from '../query/criteria.ts';
import type { LiveChange, LiveRequest, LiveState } from '../query/live.ts';
import type { Api } from '../transport/api.ts';
import { sleep } from '../transport/limits.ts';
import { waitBefore } from '../transport/retry.ts';
import type { Change, DocumentFields } from '../wire.ts';
import { type Batch, currentCursor, type FeedDeps, isStale } from './feed.ts';
import { feedOf } from './follow.ts';
import { comparatorOf } from './order.ts';
import { changeBetween, createWindow, type Window } from './window.ts';

/** Receiver of the results of a query. */
export interface Observer {
  rows(rows: readonly DocumentFields[], change: LiveChange<DocumentFields>): void;
  state(state: LiveState): void;
  error(error: BaobabError, willRetry: boolean): void;
}

const TOO_MANY = 429;
const SERVER_ERROR = 500;

/**
 * Returns true if a retry may succeed: there was no response, none from Baobab, or one that says so. After
 * `session.invalid`, the app may be able to log in later.
 */
const isTemporary = ({ code, status }: BaobabError) =>
  status === 0 ||
  status === TOO_MANY ||
  status >= SERVER_ERROR ||
  code === 'client.answer' ||
  code === 'session.invalid';

/**
 * Returns the pause before the next attempt, in milliseconds. A query never gives up, so it can wait as long as the
 * server requests.
 */
const pauseAfter = (failures: number, error: Pick<BaobabError, 'retryAfter'>) =>
  waitBefore(failures, error) ?? (error.retryAfter ?? 0) * 1000;

/** Progress of a query. Each user has a separate one. */
interface QueryProgress {
  readonly window: Window;
  cursor: string | null;
  isListed: boolean;
  /** True if this connection has sent everything up to now. */
  isReady: boolean;
  /** Attempts since the rows were last up to date. */
  failures: number;
}

function apply({ type, id, document }: Change, window: Window): void {
  if (type === 'put' && document !== undefined) window.put(document);
  else window.gone(id);
}

interface FollowRequest extends LiveRequest {
  readonly limit: number | undefined;
  /** Rows to show before the first list; null for none. */
  readonly initialRows: readonly DocumentFields[] | null;
}

/** Keeps one query up to date: lists its rows, then applies the changes since a cursor from before the list. */
export function createFollowed(api: Api, request: FollowRequest, to: Observer) {
  const compare = comparatorOf(request.criteria.orderBy);
  let controller = new AbortController();
  let state: LiveState = 'connecting';
  /** Rows last sent to the listeners; null before the first list. */
  let told = request.initialRows;

  function become(next: LiveState): void {
    if (state === next) return;
    state = next;
    to.state(next);
  }

  function tell(rows: readonly DocumentFields[]): void {
    const change = changeBetween(told ?? [], rows) ?? (told === null ? { added: [], updated: [], removed: [] } : null);
    if (change === null) return;
    told = rows;
    to.rows(rows, change);
  }

  async function list({ signal }: FeedDeps, { window }: QueryProgress): Promise<void> {
    const rows: DocumentFields[] = [];
    let next: string | null | undefined;
    do {
      const recordsPerPage = Math.min(request.pageSize, window.wanted - rows.length);
      const query = { ...criteriaParams(request.criteria), recordsPerPage, cursor: next ?? undefined };
      const page = await api.list<readonly DocumentFields[]>(request.path, query, { signal });
      rows.push(...page.data);
      next = page.more ? page.next : null;
    } while (next !== null && rows.length < window.wanted);
    window.load(rows, next !== null);
  }

  /**
   * Applies a batch. Changes wait while rows are listed, so that a list is never older than changes applied before it.
   */
  async function take(batch: Batch, deps: FeedDeps, place: QueryProgress): Promise<void> {
    const { window } = place;
    for (const change of batch.changes) apply(change, window);
    if (window.isShort()) await list(deps, place);
    if (deps.signal.aborted) return;
    place.cursor = batch.cursor ?? place.cursor;
    if (batch.isStale) place.isListed = false;
    place.isReady ||= batch.isReady;
    // Until then, states that are older than the list may arrive.
    if (!place.isReady || batch.isStale) return;
    place.failures = 0;
    tell(window.rows());
    become('live');
  }

  /** Follows the feed over one connection. */
  async function follow(deps: FeedDeps, place: QueryProgress): Promise<void> {
    place.isReady = false;
    for await (const batch of feedOf(deps, place.cursor ?? '')) {
      await take(batch, deps, place);
      if (deps.signal.aborted || !place.isListed) return;
    }
  }

  async function connect(deps: FeedDeps, place: QueryProgress): Promise<void> {
    place.cursor ??= await currentCursor(deps);
    if (!place.isListed) await list(deps, place);
    if (deps.signal.aborted) return;
    if (!place.isListed) tell(place.window.rows());
    place.isListed = true;
    await follow(deps, place);
  }

  /** Handles a failure. Returns the pause before the next attempt, in milliseconds; null if there is none. */
  function failed(error: BaobabError, place: QueryProgress): number | null {
    const mustList = isStale(error);
    const willRetry = mustList || isTemporary(error);
    if (mustList) Object.assign(place, { cursor: null, isListed: false });
    else to.error(error, willRetry);
    if (!willRetry) become('failed');
    return willRetry ? pauseAfter(place.failures++, error) : null;
  }

  /** Connects once. Returns the pause before the next attempt, in milliseconds; null if there is none. */
  async function attempt(deps: FeedDeps, place: QueryProgress): Promise<number | null> {
    try {
      await connect(deps, place);
      // The readable documents have changed, so reconnect immediately.
      return place.isListed ? pauseAfter(place.failures++, { retryAfter: null }) : 0;
    } catch (error) {
      if (deps.signal.aborted) return null;
      if (!isBaobabError(error)) throw error;
      return failed(error, place);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    const window = createWindow(compare, request.limit);
    // Rows that have not changed remain the same objects.
    window.load(told ?? [], false);
    const place: QueryProgress = { window, cursor: null, isListed: false, isReady: false, failures: 0 };
    while (!signal.aborted) {
      const wait = await attempt({ api, request, signal }, place);
      if (wait === null || signal.aborted) return;
      become('connecting');
      await sleep(wait, signal).catch(() => undefined);
    }
  }

  function start(): void {
    controller.abort();
    controller = new AbortController();
    void run(controller.signal);
  }

  return {
    /** Null before the first list. */
    rows: () => told,
    state: () => state,
    start,
    stop: () => controller.abort(),
    /** Retries after a failure that was reported as final. */
    resume(): void {
      if (state !== 'failed') return;
      become('connecting');
      start();
    },
    /** Starts again for another user, who must not see the previous user's rows. */
    restart(): void {
      become('connecting');
      if (told !== null) tell([]);
      told = null;
      start();
    },
  };
}

export type Followed = ReturnType<typeof createFollowed>;
