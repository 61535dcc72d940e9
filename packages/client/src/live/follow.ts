import type { Change } from '../wire.ts';
import { type Connection, connectorOf, type Frame, frameError } from './connection.ts';
import { type Batch, conditionOf, currentCursor, type FeedDeps } from './feed.ts';
import { createQueue } from './queue.ts';
import { sharedFeed } from './shared-feed.ts';

function batchOf(frames: readonly Frame[]): Batch {
  const has = (type: string) => frames.some((frame) => frame.type === type);
  const changes = frames.filter(({ type }) => type === 'put' || type === 'gone').map(({ data }) => data as Change);
  const cursor = frames.reduce<string | null>((last, frame) => frame.cursor ?? last, null);
  return { changes, cursor, isReady: has('ready'), isStale: has('resync') };
}

/** Follows the feed over the socket. */
async function* subscribed(
  connection: Connection,
  { request, signal }: FeedDeps,
  since: string,
): AsyncGenerator<Batch, void, undefined> {
  const queue = createQueue<Frame>(signal);
  const id = connection.add({
    take: (frame) => (frame.type === 'error' ? queue.end(frameError(frame)) : queue.push(frame)),
    end: queue.end,
  });
  connection.send({ type: 'subscribe', id, collection: request.collection, since, ...conditionOf(request) });
  try {
    for await (const frames of queue.read()) yield batchOf(frames);
  } finally {
    connection.send({ type: 'unsubscribe', id });
    connection.remove(id);
  }
}

/**
 * Returns the changes since a cursor: over the client's socket, or over one stream where sockets are blocked. Ends when
 * the connection ends. @throws `BaobabError` if there is no connection
 */
export async function* feedOf(deps: FeedDeps, since: string): AsyncGenerator<Batch, void, undefined> {
  const connector = connectorOf(deps.api.transport);
  const opened = await connector.open();
  if (deps.signal.aborted) return;
  if (typeof opened !== 'string') {
    yield* subscribed(opened, deps, since);
    return;
  }
  // Reports why there is no socket, after a new login if the app provides one.
  if (opened !== 'blocked') await currentCursor(deps);
  if (opened === 'blocked' || (opened === 'failed' && connector.fail())) yield* sharedFeed(deps, since);
}
