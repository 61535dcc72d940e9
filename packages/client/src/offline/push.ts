import type { Baobab } from '../client.ts';
import { BaobabError, type ErrorCode, isBaobabError } from '../errors.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import { isRefused } from '../transport/retry.ts';
import type { DocumentFields } from '../wire.ts';
import type { Draft, Local, LocalUser } from './local.ts';
import { type Entry, localIdsIn, type StoredError, type Write, withBase, withServiceIds } from './records.ts';

/** Time for which the server remembers an idempotency key, minus one hour, in milliseconds. */
const KEY_LIFE_MS = 23 * 3_600_000;
const TOO_MANY = 429;
const SERVER_ERROR = 500;
const UNAUTHORIZED = 401;

/** Returns true if the server may accept the same write later. */
export const isTemporary = (error: BaobabError) =>
  error.status === 0 ||
  error.status === TOO_MANY ||
  error.status >= SERVER_ERROR ||
  error.status === UNAUTHORIZED ||
  error.code === 'client.answer' ||
  isRefused(error);

interface PushDeps {
  readonly api: Api;
  readonly baobab: Pick<Baobab, 'collection'>;
  readonly local: Local;
}

interface Next {
  readonly entry: Entry;
  readonly write: Write;
}

/** Result of a write. */
interface Made {
  readonly id: string;
  /** Null after a removal. */
  readonly document: DocumentFields | null;
  /** Current state of the document, if it may have changed since. */
  readonly now?: DocumentFields | null;
}

const stored = ({ code, message, status, errors }: BaobabError): StoredError => ({ code, message, status, errors });

const refusal = (code: ErrorCode, message: string) => stored(new BaobabError(code, message));

/** Reads the current state of a document; null if it does not exist or is not readable. */
export async function readNow(
  baobab: Pick<Baobab, 'collection'>,
  collection: string,
  id: string,
  signal: AbortSignal,
): Promise<DocumentFields | null> {
  try {
    return await baobab.collection(collection).get(id, { signal });
  } catch (error) {
    if (isBaobabError(error, 'document.not_found', 'access.denied')) return null;
    throw error;
  }
}

/** Returns the entry without a write that took effect. The next write is based on the resulting version. */
function acknowledged(current: Entry, copy: Entry | undefined, write: Write, { id, document }: Made): Entry {
  const waiting = [...current.writes.slice(1), ...(copy?.writes ?? [])].sort((a, b) => a.seq - b.seq);
  const [next, ...rest] = waiting;
  const version = next?.version ?? document?.['@version'] ?? write.version;
  return {
    ...current,
    id,
    base: copy?.base ?? current.base,
    writes: next === undefined ? [] : [{ ...next, version }, ...rest],
  };
}

/** Sends the user's writes in order. */
export function createPush({ api, baobab, local }: PushDeps) {
  /** State of the new documents that the content refers to and that the server does not have yet. */
  function reference({ content }: Write): 'known' | 'waits' | 'lost' {
    let found: 'known' | 'waits' | 'lost' = 'known';
    for (const lid of localIdsIn(content)) {
      const entry = local.find(lid);
      if (entry === undefined || (entry.id === null && entry.writes[0]?.kind !== 'create')) return 'lost';
      if (entry.id === null) found = 'waits';
    }
    return found;
  }

  /** Returns the next write to send; null if there is none. Writes after a refused write of the same document wait. */
  function next(): Next | null {
    let first: Next | null = null;
    for (const entry of local.entries().values()) {
      const [write] = entry.writes;
      if (write === undefined || write.error !== null || (first !== null && first.write.seq < write.seq)) continue;
      if (reference(write) !== 'waits') first = { entry, write };
    }
    return first;
  }

  const isFirst = (entry: Entry | undefined, { seq, key }: Write): entry is Entry =>
    entry?.writes[0]?.seq === seq && entry.writes[0].key === key;

  /** Resolves to false if the write is no longer in the store. */
  async function change(
    { entry, write }: Next,
    user: LocalUser,
    make: (first: Write, of: Entry, draft: Draft) => void,
  ): Promise<boolean> {
    let isKnown = false;
    await local.transact(user, [entry.lid], (draft) => {
      const current = draft.get(entry.lid);
      const [first] = current?.writes ?? [];
      isKnown = false;
      if (first === undefined || !isFirst(current, write)) return;
      isKnown = true;
      make(first, current, draft);
    });
    // Otherwise it would be sent endlessly.
    if (!isKnown) await local.reload(user);
    return isKnown;
  }

  const refuse = (one: Next, user: LocalUser, error: StoredError) =>
    change(one, user, (first, current, draft) =>
      draft.put({ ...current, writes: [{ ...first, error }, ...current.writes.slice(1)] }),
    );

  /** Returns another copy of a new document, which the feed delivered before the response to the write. */
  const copyOf = (id: string, lid: string) => {
    const copy = local.find(id);
    return copy === undefined || copy.lid === lid ? null : copy.lid;
  };

  /** Records that the write took effect. */
  async function acknowledge({ entry, write }: Next, user: LocalUser, made: Made): Promise<void> {
    const copy = copyOf(made.id, entry.lid);
    await local.transact(user, copy === null ? [entry.lid] : [entry.lid, copy], (draft) => {
      const current = draft.get(entry.lid);
      if (!isFirst(current, write)) return;
      const other = copy === null ? undefined : draft.get(copy);
      if (other !== undefined) draft.drop(other.lid);
      const { document, now = document } = made;
      draft.put(withBase(acknowledged(current, other, write, made), now, draft.meta.listing));
    });
  }

  async function send({ entry, write }: Next, signal: AbortSignal): Promise<Made> {
    const documents = baobab.collection(entry.collection);
    const content = withServiceIds(write.content, local.viewer.idOf);
    const options = { idempotencyKey: write.key, signal };
    if (write.kind === 'create') {
      const document = await documents.create(content, { ...options, grants: write.grants });
      return { id: document.id, document };
    }
    const id = entry.id ?? entry.lid;
    const version = write.version ?? undefined;
    if (write.kind === 'update') return { id, document: await documents.update(id, content, { ...options, version }) };
    if (write.kind === 'replace')
      return { id, document: await documents.replace(id, content, { ...options, version }) };
    await api.keyed({
      method: 'DELETE',
      path: path`/document/${entry.collection}/${id}`,
      query: { version },
      options,
    });
    return { id, document: null };
  }

  /** Returns the reason why a write must not be sent; null if it may be sent. */
  function obstacle(write: Write): StoredError | null {
    if (reference(write) === 'lost') {
      return refusal('client.reference_lost', 'It refers to a new document that the service does not have');
    }
    const isOld = write.sentAt !== null && Math.abs(Date.now() - write.sentAt) > KEY_LIFE_MS;
    return isOld && write.kind === 'create'
      ? refusal('client.outcome_unknown', 'It was sent long ago, and nobody knows whether it took effect')
      : null;
  }

  /** Handles the failure of a write. @throws the failure if the write may be sent again later */
  async function failed(one: Next, user: LocalUser, error: BaobabError): Promise<void> {
    if (isTemporary(error)) throw error;
    const { entry, write } = one;
    const isGone = error.code === 'document.not_found';
    if (isGone && write.kind === 'remove') await acknowledge(one, user, { id: entry.id ?? entry.lid, document: null });
    else await refuse(one, user, stored(error));
  }

  async function sendOne(one: Next, user: LocalUser, signal: AbortSignal): Promise<void> {
    const { entry, write } = one;
    const error = obstacle(write);
    if (error !== null) {
      await refuse(one, user, error);
      return;
    }
    // From here on the request is fixed: its response may be lost, and a retry must be identical.
    const isKnown = await change(one, user, (first, current, draft) => {
      if (first.sentAt !== null) return;
      draft.put({ ...current, writes: [{ ...first, sentAt: Date.now() }, ...current.writes.slice(1)] });
    });
    if (!isKnown) return;
    try {
      const made = await send(one, signal);
      // The response to a request from an earlier attempt may be outdated, so read the current state.
      const isNow = write.sentAt === null || made.document === null;
      const now = isNow ? made.document : await readNow(baobab, entry.collection, made.id, signal);
      await acknowledge(one, user, { ...made, now });
    } catch (failure) {
      if (!isBaobabError(failure)) throw failure;
      await failed(one, user, failure);
    }
  }

  return {
    canSend: () => next() !== null,
    /** Sends all writes that may be sent. @throws `BaobabError` if the server is unreachable */
    async all(user: LocalUser, signal: AbortSignal): Promise<void> {
      for (let one = next(); one !== null && !signal.aborted; one = next()) await sendOne(one, user, signal);
    },
  };
}

export type Push = ReturnType<typeof createPush>;
