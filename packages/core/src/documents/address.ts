import { collectionKey } from '../collections/collections.ts';
import { AppError } from '../errors.ts';
import type { DocumentAddress } from '../ports/storage/documents.ts';
import { isUuid } from '../wire.ts';

/** Address of a document in a request; `collection: null` for any collection. */
export interface DocumentPath {
  readonly collection: string | null;
  readonly id: string;
}

/** @throws `document.not_found` for an invalid id */
export function addressOf({ collection, id }: DocumentPath): DocumentAddress {
  if (!isUuid(id)) throw new AppError('document.not_found');
  return { collection: collection === null ? null : collectionKey(collection), id: id.toLowerCase() };
}
