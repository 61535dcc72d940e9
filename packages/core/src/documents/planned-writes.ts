import { type AccessScope, type Action, allows } from '../access.ts';
import type { Actor } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { AppError } from '../errors.ts';
import type { Hooks, ShownDocument } from '../hooks/hooks.ts';
import { parseJson } from '../json-text.ts';
import type { DocumentAddress, DocumentStore, FoundDocument } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { documentContent } from './body.ts';
import { refusalOf } from './writes.ts';

/** Number of times that hooks run again because a document has changed since they saw it. */
const MAX_CONFLICTS = 3;

type WriteEvent = 'document.create' | 'document.update' | 'document.delete';

/** A write as shown to hooks. */
interface Write {
  readonly event: WriteEvent;
  readonly collection: string;
  /** Id of the document. */
  readonly id: string;
  /** Null for a new document. */
  readonly document: FoundDocument | null;
  /** Content to be written, as text; null for a removal. */
  readonly content: string | null;
}

/** Decision of the hooks about a write. */
interface Decision {
  readonly write: Write;
  /** Content to be written instead; as in `write` if the hooks have not changed it. */
  readonly content: string | null;
  /** Null if the write is allowed. */
  readonly refusal: unknown;
}

/** Checks a content that hooks have changed. @throws `document.invalid` */
export type CheckChanged = (collection: string, content: string) => Promise<void>;

const isSameVersion = (a: Write, b: Write) =>
  a.document?.id === b.document?.id && a.document?.version === b.document?.version;

const isSame = (a: Write, b: Write) =>
  a.event === b.event && a.collection === b.collection && a.content === b.content && isSameVersion(a, b);

function shownDocument({ id, author, version, created, updated, content }: FoundDocument): ShownDocument {
  return { id, author, version, created, updated, content: JSON.parse(content) };
}

/**
 * Writes of one request with the decisions of hooks about them. Hooks must not hold a transaction, so the writes are
 * rehearsed in one that is rolled back, the hooks run, and the writes are repeated with their decisions. A decision
 * applies only to exactly what the hooks were shown; otherwise the hooks run again.
 */
export function createPlannedWrites(hooks: Hooks, actor: Actor, checkChanged: CheckChanged) {
  let decisions: Decision[] = [];
  let undecided: Write[] = [];
  let conflicts = 0;
  let position = 0;
  /** Aborts a rehearsal. */
  const ROLLBACK = new Error('rehearsed');

  /** Returns the content to write; in a rehearsal the content as it is. */
  function decided(write: Write): string | null {
    if (!hooks.has(write.event, collectionKey(write.collection))) return write.content;
    const known = decisions[position++];
    if (known !== undefined && undecided.length === 0 && isSame(known.write, write)) {
      if (known.refusal !== null) throw known.refusal;
      return known.content;
    }
    undecided.push(write);
    return write.content;
  }

  async function decide(write: Write): Promise<Decision> {
    const { event, collection, document, content } = write;
    const before = document === null ? {} : { document: shownDocument(document) };
    const shown = { collection, ...before, ...(content !== null && { content: JSON.parse(content) }) };
    try {
      await hooks.run(event, shown as never, actor);
      if (content === null) return { write, content, refusal: null };
      const text = JSON.stringify(shown.content);
      // Unchanged content keeps its text, with numbers that JavaScript would round.
      if (text === JSON.stringify(JSON.parse(content))) return { write, content, refusal: null };
      const changed = documentContent(parseJson(text));
      await checkChanged(collectionKey(collection), changed);
      return { write, content: changed, refusal: null };
    } catch (refusal) {
      return { write, content, refusal };
    }
  }

  function intercepted(store: DocumentStore): DocumentStore {
    /** Returns the document if the write is possible: otherwise the store refuses it, and no hook runs. */
    async function writable(address: DocumentAddress, scope: AccessScope, action: Action, version: number | null) {
      const found = await store.find(address, scope);
      return refusalOf(found, action, version) === null ? found : null;
    }

    return {
      ...store,
      async add(document) {
        const { collection, id, content } = document;
        const planned = decided({ event: 'document.create', collection, id, document: null, content });
        return store.add({ ...document, content: planned ?? content });
      },
      async replace(address, scope, change) {
        const document = await writable(address, scope, 'update', change.version);
        if (document === null) return store.replace(address, scope, change);
        const { collection, id } = document;
        const content = decided({ event: 'document.update', collection, id, document, content: change.content });
        return store.replace(address, scope, { ...change, content: content ?? change.content });
      },
      async edit(address, scope, edit) {
        const document = await writable(address, scope, 'update', edit.version);
        if (document === null) return store.edit(address, scope, edit);
        const { collection, id } = document;
        const changed = edit.change(document.content, allows(document.rights, 'read'));
        const planned = changed ?? document.content;
        const content = decided({ event: 'document.update', collection, id, document, content: planned }) ?? planned;
        const isUnchanged = changed === null && content === document.content;
        const change = () => (isUnchanged ? null : content);
        return store.edit(address, scope, { ...edit, version: document.version, change });
      },
      async remove(address, scope) {
        const document = await writable(address, scope, 'delete', null);
        if (document !== null) {
          const { collection, id } = document;
          decided({ event: 'document.delete', collection, id, document, content: null });
        }
        return store.remove(address, scope);
      },
    };
  }

  /** Runs the hooks on all writes without a decision. */
  async function decideAll(): Promise<void> {
    const kept = decisions.slice(0, position - undecided.length);
    const again = decisions.slice(kept.length);
    const isConflict = undecided.some((write, at) => {
      const former = again[at]?.write;
      return former?.document?.id === write.document?.id && former !== undefined && !isSameVersion(former, write);
    });
    if (isConflict && ++conflicts > MAX_CONFLICTS) throw new AppError('document.conflict');
    for (const [at, write] of undecided.entries()) {
      const decision = await decide(write);
      kept.push(decision);
      // The hooks have to see the later writes of this document with their change.
      const isChanged = decision.content !== write.content;
      if (isChanged && undecided.slice(at + 1).some(({ id }) => id === write.id)) break;
    }
    decisions = kept;
  }

  return {
    /** Returns stores whose writes of documents follow the plan. To be called at the begin of each transaction. */
    begin(stores: Stores): Stores {
      position = 0;
      undecided = [];
      // Not a copy: adapters create the other stores when they are used.
      return Object.create(stores, { documents: { value: intercepted(stores.documents) } });
    },

    /** To be called at the end of each transaction, which rolls back if it was a rehearsal. */
    end(): void {
      if (undecided.length > 0) throw ROLLBACK;
    },

    /** Repeats `attempt`, a transaction with these writes, until it commits. @throws `document.conflict`, `extension.*` */
    async run<T>(attempt: () => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          if (error !== ROLLBACK) throw error;
          await decideAll();
        }
      }
    },
  };
}
