import { collectionKey } from '../collections/collections.ts';
import { AppError } from '../errors.ts';
import type { DocumentAddress } from '../ports/storage/documents.ts';
import { isUuid } from '../uuid.ts';

/** The address of a document in a request; `collection: null` for any collection. */
export interface DocumentPath {
  readonly collection: string | null;
  readonly id: string;
}

/** @throws `document.not_found` for an id that no document can have */
export function addressOf({ collection, id }: DocumentPath): DocumentAddress {
  if (!isUuid(id)) throw new AppError('document.not_found');
  return { collection: collection === null ? null : collectionKey(collection), id: id.toLowerCase() };
}
