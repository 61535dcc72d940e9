import type { NewDocument } from '../documents/operations.ts';
import type { Stored } from '../documents/types.ts';
import { BaobabError } from '../errors.ts';
import { randomKey } from '../transport/random.ts';
import type { DocumentFields } from '../wire.ts';
import type { Draft, Local, LocalUser } from './local.ts';
import { createOfflineQuery, type QueryDeps } from './query.ts';
import { contentOf, type Entry, localId, viewOf, type Write, type WriteKind } from './records.ts';
import type { OfflineCollection, OfflineQuery } from './types.ts';

interface CollectionDeps extends QueryDeps {
  readonly maxWaiting: number;
}

interface NewWrite extends NewDocument {
  readonly key: string;
  readonly kind: WriteKind;
  readonly content: object;
}

const ALL = { conditions: [], filters: [], orderBy: [] };

const missing = () => new BaobabError('document.not_found', 'There is no such document on this device');

/** Adds a write to a document. @throws `client.store_full` */
function enqueue(
  draft: Draft,
  entry: Entry,
  { key, kind, content, grants }: NewWrite,
  local: Local,
  most: number,
): void {
  // A crashing browser may report a failure although it has stored the write.
  if (entry.writes.some((one) => one.key === key)) {
    draft.put(entry);
    return;
  }
  const { seq, waiting } = draft.meta;
  if (waiting >= most) throw new BaobabError('client.store_full', `${waiting} writes wait already: connect first`);
  const from = viewOf(entry, local.viewer);
  if (from === null && kind !== 'create') throw missing();
  const write: Write = {
    seq,
    kind,
    // As it will be sent: without values that JSON lacks.
    content: contentOf(JSON.parse(JSON.stringify(content))),
    ...(grants !== undefined && { grants }),
    from,
    key,
    version: entry.writes.length === 0 ? (entry.base?.['@version'] ?? null) : null,
    sentAt: null,
    error: null,
  };
  draft.setMeta({ seq: seq + 1 });
  draft.put({ ...entry, writes: [...entry.writes, write] });
}

export function createOfflineCollection<C>(deps: CollectionDeps): OfflineCollection<C> {
  const { local, collection, ready, maxWaiting } = deps;

  /**
   * Returns the owner of the data: the user at the time of the call, or the first known user. @throws `client.no_user`
   */
  async function writer(): Promise<LocalUser> {
    const user = local.user();
    if (user === null) await ready();
    const known = user ?? local.user();
    if (known === null) throw new BaobabError('client.no_user', 'Nobody is logged in on this device');
    return known;
  }

  async function store(
    user: LocalUser,
    lid: string,
    entryOf: (draft: Draft) => Entry,
    change: Omit<NewWrite, 'key'>,
  ): Promise<Entry> {
    const write = { ...change, key: randomKey() };
    let entry: Entry | undefined;
    await local.transact(user, [lid], (draft) => {
      enqueue(draft, entryOf(draft), write, local, maxWaiting);
      entry = draft.get(lid);
    });
    if (entry === undefined) throw missing();
    return local.entries().get(lid) ?? entry;
  }

  /** Returns the document as shown to the user. */
  const shown = (entry: Entry) => local.view(entry) as Stored<C>;

  async function change(id: string, write: Omit<NewWrite, 'key'>): Promise<Entry> {
    const user = await writer();
    await ready();
    const lid = local.find(id)?.lid;
    if (lid === undefined) throw missing();
    const known = (draft: Draft) => {
      const entry = draft.get(lid);
      if (entry === undefined || entry.collection !== collection) throw missing();
      return entry;
    };
    return store(user, lid, known, write);
  }

  const found = (id: string): Entry | null => {
    const entry = local.find(id);
    return entry?.collection === collection ? entry : null;
  };

  return {
    name: collection,
    async create(content, { grants } = {}) {
      const user = await writer();
      const lid = localId(Date.now(), randomKey());
      const entry: Entry = { lid, id: null, collection, base: null, listing: 0, writes: [] };
      return shown(await store(user, lid, () => entry, { kind: 'create', content: content as object, grants }));
    },
    async update(id, patch) {
      return shown(await change(id, { kind: 'update', content: patch }));
    },
    async replace(id, content) {
      return shown(await change(id, { kind: 'replace', content: content as object }));
    },
    async remove(id) {
      await change(id, { kind: 'remove', content: {} });
    },
    async get(id) {
      await ready();
      const entry = found(id);
      return entry === null ? null : (local.view(entry) as Stored<C> | null);
    },
    isWaiting: (id) => (found(id)?.writes.length ?? 0) > 0,
    query: () => createOfflineQuery<Stored<C>>(deps, ALL),
    live(id, listener, options) {
      const query = createOfflineQuery<DocumentFields>(deps, ALL) as OfflineQuery<DocumentFields>;
      const one = query.filter((document, wanted) => local.find(wanted)?.lid === local.find(document.id)?.lid, id);
      return one.live(([document = null]) => listener(document as Stored<C> | null), { ...options });
    },
  };
}
