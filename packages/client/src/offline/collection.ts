import { type Changes, partsOf } from '../documents/changes.ts';
import type { NewDocument } from '../documents/operations.ts';
import type { Stored } from '../documents/types.ts';
import { BaobabError } from '../errors.ts';
import { randomKey } from '../transport/random.ts';
import type { DocumentFields } from '../wire.ts';
import type { Draft, Local, LocalUser } from './local.ts';
import { createOfflineQuery, type QueryDeps } from './query.ts';
import { contentOf, type Entry, isEmpty, viewOf, type Write, type WriteKind } from './records.ts';
import type { OfflineCollection, OfflineQuery } from './types.ts';

interface CollectionDeps extends QueryDeps {
  readonly maxWaiting: number;
}

interface NewWrite extends NewDocument {
  readonly key: string;
  readonly kind: WriteKind;
  readonly content: object;
  readonly changes?: Changes;
}

const ALL = { conditions: [], filters: [], orderBy: [] };

/** As the server accepts ids. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** @throws `input.invalid` */
function ownId(given: string): string {
  const id = given.toLowerCase();
  if (UUID.test(id)) return id;
  const message = 'id must be a UUID of version 1 to 8';
  throw new BaobabError('input.invalid', message, { errors: [{ path: 'query.id', message }] });
}

const missing = () => new BaobabError('document.not_found', 'There is no such document on this device');

/** Adds a write to a document. @throws `client.store_full`, `document.exists` */
function enqueue(
  draft: Draft,
  entry: Entry,
  { key, kind, content, changes, grants }: NewWrite,
  local: Local,
  most: number,
): void {
  // A crashing browser may report a failure although it has stored the write.
  if (entry.writes.some((one) => one.key === key)) {
    draft.put(entry);
    return;
  }
  if (kind === 'create' && !isEmpty(entry)) throw new BaobabError('document.exists', 'This id is taken on this device');
  const { seq, waiting } = draft.meta;
  if (waiting >= most) throw new BaobabError('client.store_full', `${waiting} writes wait already: connect first`);
  const from = viewOf(entry, local.author());
  if (from === null && kind !== 'create') throw missing();
  const write: Write = {
    seq,
    kind,
    // As it will be sent: without values that JSON lacks.
    content: contentOf(JSON.parse(JSON.stringify(content))),
    ...(changes !== undefined && { changes: JSON.parse(JSON.stringify(changes)) }),
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
    id: string,
    entryOf: (draft: Draft) => Entry,
    change: Omit<NewWrite, 'key'>,
  ): Promise<Entry> {
    const write = { ...change, key: randomKey() };
    let entry: Entry | undefined;
    await local.transact(user, [id], (draft) => {
      enqueue(draft, entryOf(draft), write, local, maxWaiting);
      entry = draft.get(id);
    });
    if (entry === undefined) throw missing();
    return local.entries().get(id) ?? entry;
  }

  /** Returns the document as shown to the user. */
  const shown = (entry: Entry) => local.view(entry) as Stored<C>;

  async function change(given: string, write: Omit<NewWrite, 'key'>): Promise<Entry> {
    const id = given.toLowerCase();
    const user = await writer();
    await ready();
    const known = (draft: Draft) => {
      const entry = draft.get(id);
      if (entry === undefined || entry.collection !== collection) throw missing();
      return entry;
    };
    return store(user, id, known, write);
  }

  const found = (id: string): Entry | null => {
    const entry = local.entries().get(id.toLowerCase());
    return entry?.collection === collection ? entry : null;
  };

  return {
    name: collection,
    async create(content, { grants, id: given = local.newId() } = {}) {
      const id = ownId(given);
      const user = await writer();
      const entry: Entry = { id, collection, base: null, listing: 0, writes: [] };
      return shown(
        await store(user, id, (draft) => draft.get(id) ?? entry, {
          kind: 'create',
          content: content as object,
          grants,
        }),
      );
    },
    async update(id, patch) {
      const { content, changes } = partsOf(patch);
      const isPlain = Object.keys(changes).length === 0;
      return shown(await change(id, { kind: 'update', content, ...(!isPlain && { changes }) }));
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
      const one = query.filter((document, wanted) => document.id === wanted, id.toLowerCase());
      return one.live(([document = null]) => listener(document as Stored<C> | null), { ...options });
    },
  };
}
