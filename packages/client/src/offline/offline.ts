import type { Baobab } from '../client.ts';
import type { AnyApp, AppTypes } from '../documents/types.ts';
import { BaobabError } from '../errors.ts';
import type { SessionEvent } from '../session/session.ts';
import type { Session } from '../session-source.ts';
import type { Api } from '../transport/api.ts';
import { sleep } from '../transport/limits.ts';
import { createOfflineCollection } from './collection.ts';
import { createDecisions } from './decide.ts';
import { createLocal, type LocalUser } from './local.ts';
import { createPull } from './pull.ts';
import { createPush, readNow } from './push.ts';
import { storeFailure } from './store.ts';
import { createSync, pauseAfter } from './sync.ts';
import { inTurn } from './turn.ts';
import type { Offline, OfflineOptions, OfflineState, OfflineStatus } from './types.ts';

export { indexedDbStore } from './indexed-db.ts';
export { mergeFields } from './merge.ts';
export type { WriteKind } from './records.ts';
export { type MemoryStoreOptions, memoryStore, type OfflineStore, type StoreChange } from './store.ts';
export type {
  AnyDocument,
  ConflictDecision,
  FailedWrite,
  LocalOperator,
  Offline,
  OfflineCollection,
  OfflineOptions,
  OfflineQuery,
  OfflineState,
  OfflineStatus,
  OnConflict,
  OnRejected,
  RefusedWrite,
  RejectedDecision,
} from './types.ts';

const MAX_WAITING = 5_000;

const userOf = ({ user: { id, username } }: Session): LocalUser => ({ id, username });

/** Keeps collections on the device, for instant reads and for writes without a connection. */
export function createOffline<A extends AppTypes = AnyApp>(
  client: Baobab<A>,
  {
    store,
    collections,
    onConflict,
    onRejected,
    onError,
    maxWaiting = MAX_WAITING,
    automatic = true,
  }: OfflineOptions<A>,
): Offline<A> {
  const baobab = client as unknown as Baobab;
  const { auth } = baobab;
  // The low-level API, which companion packages share.
  const api = baobab.collection('-').query().source.client as Api;
  const listeners = new Set<(state: OfflineState) => void>();
  let status: OfflineStatus = 'offline';
  let state: OfflineState = { status, waiting: 0, failed: [] };
  let isReady = false;
  let isClosed = false;
  /** User whose data was shown last. */
  let last: LocalUser | null = null;
  /** Aborts all work for the user who is logged in. */
  let session = new AbortController();

  const local = createLocal({
    store,
    hear(message) {
      if (message.type === 'retry') sync.retry();
      if (message.type === 'hello') tellStatus();
      if (message.type === 'cleared') restart();
      if (message.type === 'status' && leader === null && message.userId === local.user()?.id) become(message.status);
    },
    unavailable: (error) => tell(error),
  });
  /** Identifies the work this tab does for all tabs; null while another tab does it. */
  let leader: object | null = null;

  let told: unknown = null;
  /** Reports a failure to the app, only once even if several parts encounter it. */
  function tell(error: unknown): void {
    if (error === told || isClosed) return;
    told = error;
    onError?.(storeFailure(error));
  }

  const report = (error: unknown) => {
    if (!session.signal.aborted) tell(error);
  };

  function tellStatus(): void {
    const user = local.user();
    if (leader !== null && user !== null) local.tell({ type: 'status', userId: user.id, status });
  }

  /** Notifies listeners of a new state, once for all changes in the same task. */
  let isDue = false;
  function changed(): void {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      let waiting = 0;
      for (const { writes } of local.entries().values()) waiting += writes.length;
      const failed = decisions.failed();
      if (waiting === state.waiting && status === state.status && failed.length + state.failed.length === 0) return;
      state = { status, waiting, failed };
      for (const listener of [...listeners]) listener(state);
    });
  }

  function become(next: OfflineStatus): void {
    if (status === next) return;
    status = next;
    tellStatus();
    changed();
  }

  const decisions = createDecisions({
    local,
    onConflict,
    onRejected,
    read: ({ collection, id }) => readNow(baobab, collection, id, session.signal),
  });
  const push = createPush({ api, baobab, local });
  const pull = createPull({ api, local, collections });
  const sync = createSync({
    api,
    push,
    pull,
    collections,
    sent: (user) => decisions.begin(user),
    status: become,
    error: report,
  });
  local.onChange(() => {
    changed();
    sync.wake();
  });

  async function lead(user: LocalUser, signal: AbortSignal): Promise<void> {
    const turn = {};
    leader = turn;
    try {
      // Messages from the previous leader may still be in transit.
      await local.reload(user);
      await sync.run(user, signal);
    } finally {
      if (leader === turn) leader = null;
    }
  }

  /** Syncs data, in one tab at a time. Retries after failures of the store. */
  async function exchange(user: LocalUser, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await inTurn(await local.opened(), user.id, signal, (inner) => lead(user, inner));
      } catch (error) {
        report(error);
        await sleep(pauseAfter(error, failures), signal).catch(() => undefined);
      }
    }
  }

  /** Starts syncing for a user. */
  function start(user: LocalUser): void {
    session.abort();
    session = new AbortController();
    if (!automatic || isClosed) return;
    const { signal } = session;
    local.tell({ type: 'hello' });
    exchange(user, signal).catch(report);
  }

  /** Lists everything again after the data was removed. */
  function restart(): void {
    if (leader !== null && auth.session !== null) start(userOf(auth.session));
  }

  function stop(): void {
    session.abort();
    become('offline');
  }

  /** Follows the session of the client. */
  async function follow(current: Session | null, event: SessionEvent): Promise<void> {
    if (current !== null) {
      const user = userOf(current);
      const isOther = local.user()?.id !== user.id;
      last = user;
      const loaded = local.show(user);
      if (isOther || session.signal.aborted) start(user);
      await Promise.all([loaded, local.setActive(user)]);
      return;
    }
    // Immediately: nothing may be sent on behalf of the next user.
    stop();
    // An expired session does not lock users out of their own data.
    if (event === 'expired') await local.show(local.user());
    else await Promise.all([local.show(null), local.setActive(null)]);
  }

  async function open(): Promise<void> {
    await auth.ready;
    if (isClosed) return;
    if (auth.session !== null) await follow(auth.session, 'restored');
    else {
      const active = await local.active();
      if (auth.session === null) {
        last = active;
        await local.show(active);
      }
    }
  }

  let failures = 0;
  let shown: Promise<void>;
  let again: (() => void) | null = null;

  /** Waits for the data of a user. After a failure it is read again on the next use, or after some time. */
  function show(read: () => Promise<void>): void {
    const reading = read();
    shown = reading;
    again = null;
    reading.then(
      () => {
        isReady = true;
        failures = 0;
        // Until then, live queries show nothing and do not query again.
        local.notify(null);
      },
      (error) => {
        tell(error);
        if (shown !== reading || isClosed) return;
        again = () => show(read);
        const timer: number & { unref?: () => void } = setTimeout(() => again?.(), pauseAfter(error, failures++));
        // Does not keep a Node process alive.
        timer.unref?.();
      },
    );
  }

  session.abort();
  show(open);
  const stopListening = auth.onChange((current, event) => show(() => follow(current, event)));
  const online = () => sync.retry();
  globalThis.addEventListener?.('online', online);

  /** Resolves when the data of the current user is loaded. */
  async function ready(): Promise<void> {
    again?.();
    for (let waited: Promise<void> | null = null; waited !== shown; ) {
      waited = shown;
      await waited;
    }
  }

  return {
    get ready() {
      again?.();
      return shown;
    },
    get user() {
      return local.user();
    },
    get state() {
      return state;
    },
    get status() {
      return state.status;
    },
    get waiting() {
      return state.waiting;
    },
    get failed() {
      return state.failed;
    },
    collection: (name) =>
      createOfflineCollection({
        local,
        collection: name,
        ready,
        isReady: () => isReady,
        maxWaiting,
      }),
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async sync() {
      await ready();
      const user = local.user();
      if (user === null || auth.session === null) {
        throw new BaobabError('client.no_user', 'Log in to exchange data with the service');
      }
      if (automatic && leader === null) return local.tell({ type: 'retry' });
      const { signal } = session;
      do {
        await sync.round(user, signal);
        await decisions.ended();
      } while (push.canSend() && !signal.aborted);
      sync.retry();
    },
    async clear({ allUsers = false } = {}) {
      await ready();
      await local.clear(allUsers ? null : (local.user() ?? last));
      restart();
    },
    close() {
      isClosed = true;
      stop();
      stopListening();
      globalThis.removeEventListener?.('online', online);
      local.close();
      listeners.clear();
      store.close();
    },
  };
}
