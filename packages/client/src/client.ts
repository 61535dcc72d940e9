import { type Batches, createBatches } from './documents/batch.ts';
import { type Collection, createCollection, noLive } from './documents/collection.ts';
import type { AnyApp, AppTypes, CollectionName, ContentOf } from './documents/types.ts';
import { type Assets, createAssets } from './files/assets.ts';
import { createFiles, type Files } from './files/files.ts';
import type { ClientOptions } from './options.ts';
import { createGroups, type Groups } from './people/groups.ts';
import { createPush, type Push } from './people/push.ts';
import { createFollowing, createUsers, type Following, type Users } from './people/users.ts';
import type { Room } from './query/room.ts';
import { type Auth, createAuth } from './session/auth.ts';
import { keepAlive } from './session/keep-alive.ts';
import { createKnownClient } from './session/known-client.ts';
import { createSessionKeeper } from './session/session.ts';
import { openStorage } from './session/storage.ts';
import { openTabs } from './session/tabs.ts';
import { type Api, createApi } from './transport/api.ts';
import { createTransport } from './transport/transport.ts';

/** A client of a Baobab server. `A` declares the types of its documents. */
export interface Baobab<A extends AppTypes = AnyApp> extends Batches {
  /** Never set; the compiler infers `A` from it. */
  readonly types?: A;
  readonly auth: Auth;
  readonly users: Users;
  readonly following: Following;
  readonly groups: Groups;
  readonly files: Files;
  readonly assets: Assets;
  readonly push: Push;
  collection<N extends CollectionName<A>>(name: N): Collection<ContentOf<A, N>>;
  /**
   * Returns the room of a document: presence and messages, which are not stored. Requires the option `live`.
   *
   * @param ref `<collection>/<document id>`
   */
  room<S = unknown, D = unknown>(ref: string): Room<S, D>;
  /** Stops timers, rooms, live queries and the connection to other tabs. The session stays valid. */
  close(): void;
}

export const createClient = <A extends AppTypes = AnyApp>(options: ClientOptions): Baobab<A> =>
  openClient<A>(options).client;

/** Creates a client together with the low-level API that its parts use. */
export function openClient<A extends AppTypes>(
  options: ClientOptions,
): { readonly client: Baobab<A>; readonly api: Api } {
  const key = options.storageKey ?? `baobab:${options.url}`;
  const storage = openStorage(options.storage);
  const keeper = createSessionKeeper({
    storage,
    key,
    tabs: (options.tabs ?? storage.isShared) ? openTabs(key) : null,
    async reauthenticate(username) {
      const credentials = await options.reauthenticate?.(username);
      if (credentials) await auth.login(credentials);
    },
  });
  const api = createApi(createTransport(options, keeper));
  const auth = createAuth(api, keeper, createKnownClient(storage, `${key}:client`));
  const live = options.live?.({ api, session: keeper });
  const stop = keepAlive({ api, keeper, every: options.keepAlive });
  const client: Baobab<A> = {
    auth,
    users: createUsers(api),
    following: createFollowing(api),
    groups: createGroups(api),
    files: createFiles(api),
    assets: createAssets(api),
    push: createPush(api),
    ...createBatches(api),
    collection: (name) => createCollection(api, name, live),
    room(ref) {
      if (live === undefined) throw noLive();
      return live.room(ref);
    },
    close() {
      stop();
      live?.close();
      keeper.close();
    },
  };
  return { client, api };
}
