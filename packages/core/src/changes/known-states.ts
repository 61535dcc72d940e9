import { createBoundedCache } from '../caches.ts';
import type { Resolve } from '../criteria/values.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';

/** Maximum number of documents whose latest state is kept, and maximum length of their contents in UTF-16 units. */
const KEPT_STATES = 1_000;
const LONGEST_KEPT = 4_096;

/** A document, and its values by name. */
export interface Put {
  readonly document: DocumentRecord;
  readonly resolve: Resolve;
}

/**
 * Keeps the latest states of documents, to find the filters that an update concerns. Without the state before, each
 * update would be sent as gone to every subscription of the collection whose filter does not match.
 */
export function createKnownStates() {
  let kept = createBoundedCache<string, { readonly version: number; readonly resolve: Resolve }>(KEPT_STATES);
  return {
    /**
     * Returns the states of a document in which a member may have it, and keeps the last one. Null if there may be
     * others, of versions that the hub has not read.
     */
    next({ document: { id, version, content }, resolve }: Put): readonly Resolve[] | null {
      const before = kept.get(id);
      if (content.length <= LONGEST_KEPT) kept.set(id, { version, resolve });
      else kept.delete(id);
      if (version === 1) return [resolve];
      return before?.version === version - 1 ? [before.resolve, resolve] : null;
    },
    clear(): void {
      kept = createBoundedCache(KEPT_STATES);
    },
  };
}
