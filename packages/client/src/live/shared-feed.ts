import { NO_CRITERIA } from '../query/criteria.ts';
import type { Api } from '../transport/api.ts';
import { type Batch, type FeedDeps, matching, pagesOf, unfilteredFeed } from './feed.ts';
import { createQueue } from './queue.ts';

interface Member {
  readonly collections: readonly string[];
  push(batch: Batch): void;
  end(error?: unknown): void;
}

/** One stream for everything that a client follows. Browsers open only six connections to a host without HTTP/2. */
function createSharedFeed(api: Api) {
  const members = new Set<Member>();
  let controller = new AbortController();
  /** Collections of the open stream. */
  let served: readonly string[] = [];
  let cursor = '';

  async function run(signal: AbortSignal): Promise<void> {
    const request = { path: '', criteria: NO_CRITERIA, collection: served };
    let failure: unknown = null;
    try {
      for await (const batch of unfilteredFeed({ api, request, signal }, cursor)) {
        cursor = batch.cursor ?? cursor;
        for (const member of [...members]) member.push(batch);
      }
    } catch (error) {
      failure = error;
    }
    if (signal.aborted) return;
    served = [];
    for (const member of [...members]) member.end(failure);
  }

  function restart(): void {
    controller.abort();
    controller = new AbortController();
    served = [...new Set([...members].flatMap(({ collections }) => collections))];
    if (members.size > 0) void run(controller.signal);
  }

  /** Opens the stream again if a member needs another collection, or if nobody needs it any more. */
  function change(since: string): void {
    if (served.length === 0) cursor = since;
    const isServed = [...members].every(({ collections }) => collections.every((name) => served.includes(name)));
    if (!isServed || members.size === 0) restart();
  }

  return {
    async *follow(deps: FeedDeps, since: string): AsyncGenerator<Batch, void, undefined> {
      const queue = createQueue<Batch>(deps.signal);
      const collections = [deps.request.collection].flat();
      const member = { collections, push: queue.push, end: queue.end };
      const own = (batch: Batch) => batch.changes.filter(({ collection }) => collections.includes(collection));
      members.add(member);
      queueMicrotask(() => change(since));
      try {
        // The stream may have passed this cursor. What it sends meanwhile waits.
        for await (const page of pagesOf(deps, since)) yield { ...page, changes: await matching(deps, page.changes) };
        for await (const batches of queue.read()) {
          for (const batch of batches) yield { ...batch, changes: await matching(deps, own(batch)) };
        }
      } finally {
        members.delete(member);
        queueMicrotask(() => change(since));
      }
    },
  };
}

const feeds = new WeakMap<Api, ReturnType<typeof createSharedFeed>>();

/** Returns the changes since a cursor over the stream that everything in a client shares. */
export function sharedFeed(deps: FeedDeps, since: string): AsyncGenerator<Batch, void, undefined> {
  const feed = feeds.get(deps.api) ?? createSharedFeed(deps.api);
  feeds.set(deps.api, feed);
  return feed.follow(deps, since);
}
