import type { Baobab } from '../client.ts';
import { patchOf } from '../documents/changes.ts';
import { BaobabError, isBaobabError } from '../errors.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import { isRefused } from '../transport/retry.ts';
import type { DocumentFields } from '../wire.ts';
import type { Draft, Local, LocalUser } from './local.ts';
import { isCounting } from './operators.ts';
import { type Entry, isMerging, listAgain, listingOf, type StoredError, type Write, withBase } from './records.ts';

/** Time for which the server remembers an idempotency key, minus one hour, in milliseconds. */
const KEY_LIFE_MS = 23 * 3_600_000;
const TOO_MANY = 429;
const SERVER_ERROR = 500;
const UNAUTHORIZED = 401;
/** Statuses of proxies that never let this request through. */
const TOO_LARGE: readonly number[] = [413, 414, 431];

/** Returns true if the server may accept the same write later. */
export const isTemporary = (error: BaobabError) =>
  error.status === 0 ||
  error.status === TOO_MANY ||
  error.status >= SERVER_ERROR ||
  error.status === UNAUTHORIZED ||
  (error.code === 'client.answer' && !TOO_LARGE.includes(error.status)) ||
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
  /** Null after a removal. */
  readonly document: DocumentFields | null;
  /** Current state of the document, if it may have changed since. */
  readonly now?: DocumentFields | null;
}

const isFull = (error: unknown) => isBaobabError(error, 'client.store_full');

const stored = ({ code, message, status, errors }: BaobabError): StoredError => ({ code, message, status, errors });

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
function acknowledged(current: Entry, write: Write, { document }: Made): Entry {
  const [next, ...rest] = current.writes.slice(1);
  // A change that merges may follow changes by others, of which the next write does not know.
  const isKnown = !isMerging(write) || write.version === null || (document?.['@version'] ?? 0) <= write.version + 1;
  const version = next?.version ?? (isKnown ? document?.['@version'] : null) ?? write.version;
  return { ...current, writes: next === undefined ? [] : [{ ...next, version }, ...rest] };
}

/** Sends the user's writes in order. */
export function createPush({ api, baobab, local }: PushDeps) {
  /** Keys of refused writes whose refusal cannot be stored on a full device. They are sent again in the next round. */
  const skipped = new Set<string>();

  /** Returns the next write to send; null if there is none. Writes after a refused write of the same document wait. */
  function next(): Next | null {
    let first: Next | null = null;
    for (const entry of local.entries().values()) {
      const [write] = entry.writes;
      if (write === undefined || write.error !== null || skipped.has(write.key)) continue;
      if (first !== null && first.write.seq < write.seq) continue;
      first = { entry, write };
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
    await local.transact(user, [entry.id], (draft) => {
      const current = draft.get(entry.id);
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

  async function refuse(one: Next, user: LocalUser, error: StoredError): Promise<void> {
    try {
      await change(one, user, (first, current, draft) =>
        draft.put({ ...current, writes: [{ ...first, error }, ...current.writes.slice(1)] }),
      );
    } catch (failure) {
      if (!isFull(failure)) throw failure;
      skipped.add(one.write.key);
    }
  }

  /** Records that the write took effect. On a full device, the document is listed again instead of stored. */
  async function acknowledge({ entry, write }: Next, user: LocalUser, made: Made): Promise<void> {
    const { document, now = document } = made;
    const record = (hasRoom: boolean) =>
      local.transact(user, [entry.id], (draft) => {
        const current = draft.get(entry.id);
        if (!isFirst(current, write)) return;
        draft.put(withBase(acknowledged(current, write, made), hasRoom ? now : null, listingOf(draft.meta)));
        if (!hasRoom) draft.setMeta(listAgain(draft.meta));
      });
    await record(true).catch((error) => {
      if (!isFull(error)) throw error;
      return record(false);
    });
  }

  /** Resolves to the document after a write; null after a removal. */
  async function send({ entry: { id, collection }, write }: Next, signal: AbortSignal): Promise<DocumentFields | null> {
    const { kind, content, changes, grants, key, version: known } = write;
    const documents = baobab.collection(collection);
    const options = { idempotencyKey: key, signal };
    if (kind === 'create') return documents.create(content, { ...options, grants, id });
    const version = isMerging(write) ? undefined : (known ?? undefined);
    if (kind === 'update') return documents.update(id, patchOf(content, changes), { ...options, version });
    if (kind === 'replace') return documents.replace(id, content, { ...options, version });
    await api.keyed({ method: 'DELETE', path: path`/document/${collection}/${id}`, query: { version }, options });
    return null;
  }

  /** Handles the failure of a write. @throws the failure if the write may be sent again later */
  async function failed(one: Next, user: LocalUser, error: BaobabError, signal: AbortSignal): Promise<void> {
    if (isTemporary(error)) throw error;
    const { entry, write } = one;
    const isGone = error.code === 'document.not_found' && write.kind === 'remove';
    // The response to an earlier attempt was lost, and the document has changed or was removed since.
    const isMade = error.code === 'document.exists' && write.sentAt !== null;
    if (!isGone && !isMade) return refuse(one, user, stored(error));
    const document = isMade ? await readNow(baobab, entry.collection, entry.id, signal) : null;
    await acknowledge(one, user, { document });
  }

  /**
   * Fixes the request, because its response may be lost and a retry must be identical. Resolves to `again` if an earlier
   * attempt may have been sent, and to `gone` if the write is no longer in the store.
   */
  async function mark(one: Next, user: LocalUser): Promise<'first' | 'again' | 'gone'> {
    try {
      const isKnown = await change(one, user, (first, current, draft) => {
        if (first.sentAt !== null) return;
        draft.put({ ...current, writes: [{ ...first, sentAt: Date.now() }, ...current.writes.slice(1)] });
      });
      if (!isKnown) return 'gone';
      return one.write.sentAt === null ? 'first' : 'again';
    } catch (error) {
      // Sending makes room. Only a write that counts must not be sent again after the life of its key.
      if (!isFull(error) || isCounting(one.write.changes)) throw error;
      return 'again';
    }
  }

  async function sendOne(one: Next, user: LocalUser, signal: AbortSignal): Promise<void> {
    const { entry, write } = one;
    const isOld = write.sentAt !== null && Math.abs(Date.now() - write.sentAt) > KEY_LIFE_MS;
    if (isOld && isCounting(write.changes)) {
      const unknown = 'It was sent long ago, and nobody knows whether it took effect';
      await refuse(one, user, stored(new BaobabError('client.outcome_unknown', unknown)));
      return;
    }
    const attempt = await mark(one, user);
    if (attempt === 'gone') return;
    try {
      const document = await send(one, signal);
      // The response to a request from an earlier attempt may be outdated, so read the current state.
      const isNow = attempt === 'first' || document === null;
      const now = isNow ? document : await readNow(baobab, entry.collection, entry.id, signal);
      await acknowledge(one, user, { document, now });
    } catch (failure) {
      if (!isBaobabError(failure)) throw failure;
      await failed(one, user, failure, signal);
    }
  }

  return {
    canSend: () => next() !== null,
    /** Sends all writes that may be sent. @throws `BaobabError` if the server is unreachable */
    async all(user: LocalUser, signal: AbortSignal): Promise<void> {
      skipped.clear();
      for (let one = next(); one !== null && !signal.aborted; one = next()) await sendOne(one, user, signal);
    },
  };
}

export type Push = ReturnType<typeof createPush>;
