import {
  createComparator,
  type DocumentRecord,
  documentResolver,
  isCreation,
  type ListPosition,
  type OrderKey,
  sortValues,
} from '@baobab/core';

/**
 * Returns the keys that determine the order. The order of creation is that of the ids, which are unique, so later keys
 * have no effect.
 */
function keysOf(order: readonly OrderKey[]): OrderKey[] {
  const at = order.findIndex(isCreation);
  const key = order[at];
  return key === undefined ? [...order] : [...order.slice(0, at), { ...key, path: ['id'] }];
}

/** Creates the order of documents in a list, for lists that the program sorts or merges itself. */
export function createDocumentOrder(order: readonly OrderKey[]) {
  const keys = keysOf(order);
  return {
    compare: createComparator(keys),
    /** Returns the position of a document in this order. */
    placeOf: (document: DocumentRecord): ListPosition => ({
      keys: sortValues(keys, documentResolver(document)),
      id: document.id,
    }),
    /** Converts the position in a request to this order. */
    placeAt: (position: ListPosition): ListPosition => ({
      id: position.id,
      keys: order.map((key, at) => (isCreation(key) ? position.id : (position.keys[at] ?? null))),
    }),
    /** Returns the position of a document as requests specify it. */
    positionOf: (document: DocumentRecord): ListPosition => ({
      keys: sortValues(order, documentResolver(document)),
      id: document.id,
    }),
  };
}
