import type { LiveFeature, LiveHandlers, LiveListener, LiveRequest } from '../query/live.ts';
import type { DocumentFields } from '../wire.ts';
import { call } from './call.ts';
import { connectorOf } from './connection.ts';
import { createFollowed, type Followed } from './followed.ts';
import { createRooms } from './rooms.ts';

interface Subscription extends LiveHandlers {
  readonly listener: LiveListener<DocumentFields>;
}

interface Shared {
  readonly followed: Followed;
  readonly subscriptions: Set<Subscription>;
}

const keyOf = ({ path, criteria }: LiveRequest, limit: number | undefined) =>
  JSON.stringify([path, criteria, limit ?? null]);

/** @throws `TypeError` for queries whose rows are not whole documents */
function assertWhole({ criteria: { fields, groupBy, expand } }: LiveRequest): void {
  if (fields.length + groupBy.length + expand.length > 0) {
    throw new TypeError('A live query has whole documents as its rows: it cannot select or expand');
  }
}

/** Enables live queries. Pass it to `createClient`. */
export const live: LiveFeature = ({ api, session }) => {
  const queries = new Map<string, Shared>();
  const connector = connectorOf(api.transport);
  const rooms = createRooms(connector);
  let userId = session.current()?.user.id;

  const stopListening = session.onChange((current) => {
    if (current?.user.id === userId) return;
    userId = current?.user.id;
    connector.close();
    for (const { followed } of [...queries.values()]) followed.restart();
    rooms.restart();
  });

  function open(
    request: LiveRequest,
    limit: number | undefined,
    initialRows: readonly DocumentFields[] | null,
  ): Shared {
    const subscriptions = new Set<Subscription>();
    const each = (use: (one: Subscription) => void) => {
      for (const one of [...subscriptions]) if (subscriptions.has(one)) call(() => use(one));
    };
    let isReported = false;
    const followed = createFollowed(
      api,
      { ...request, limit, initialRows },
      {
        rows: (rows, change) => each(({ listener }) => listener(rows, change)),
        state: (state) => each(({ onState }) => onState?.(state)),
        error(error, willRetry) {
          // Otherwise a misspelled collection would look like an empty one.
          if (!willRetry && !isReported && [...subscriptions].some(({ onError }) => onError === undefined)) {
            isReported = true;
            console.error(error);
          }
          each(({ onError }) => onError?.(error, willRetry));
        },
      },
    );
    return { followed, subscriptions };
  }

  /** Sends the current rows and state to a new listener. */
  function welcome({ followed, subscriptions }: Shared, one: Subscription): void {
    if (!subscriptions.has(one)) return;
    const rows = followed.rows();
    if (rows !== null) call(() => one.listener(rows, { added: rows, updated: [], removed: [] }));
    followed.resume();
    call(() => one.onState?.(followed.state()));
  }

  return {
    room: rooms.open,
    follow(request, listener, { limit, initialRows, ...handlers } = {}) {
      assertWhole(request);
      const key = keyOf(request, limit);
      const known = queries.get(key);
      const shared = known ?? open(request, limit, initialRows ?? null);
      const one = { listener, ...handlers } as Subscription;
      queries.set(key, shared);
      shared.subscriptions.add(one);
      // Afterwards the caller has the function that unsubscribes.
      queueMicrotask(() => {
        if (known === undefined && shared.subscriptions.size > 0) shared.followed.start();
        welcome(shared, one);
      });
      return () => {
        shared.subscriptions.delete(one);
        // A listener that subscribes again immediately, as in React's strict mode, keeps the connection.
        queueMicrotask(() => {
          if (shared.subscriptions.size > 0 || queries.get(key) !== shared) return;
          queries.delete(key);
          shared.followed.stop();
        });
      };
    },
    close() {
      stopListening();
      for (const { followed } of queries.values()) followed.stop();
      queries.clear();
      rooms.close();
      connector.close();
    },
  };
};
