import { type AccessScope, type Action, allows } from '../access.ts';
import { collectionKey } from '../collections/collections.ts';
import { addressOf, type DocumentPath } from '../documents/address.ts';
import { AppError } from '../errors.ts';
import type { FoundDocument } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** Returns the address of a document in the form `<collection>/<id>`. @throws `input.invalid` */
export function parseDocumentPath(text: string): DocumentPath & { readonly collection: string } {
  const [collection = '', id = '', ...rest] = text.split('/');
  if (collection !== '' && id !== '' && rest.length === 0) return { collection, id };
  throw new AppError('input.invalid', { detail: 'document must be <collection>/<id>', input: 'document' });
}

/**
 * Returns the document of files, if the caller has a right on it.
 *
 * @param held permissions on documents
 * @throws `collection.not_found`, `document.not_found`, `access.denied`
 */
export async function requireFileDocument(
  { collections, documents }: Pick<Stores, 'collections' | 'documents'>,
  path: DocumentPath & { readonly collection: string },
  held: AccessScope,
  action: Action,
): Promise<FoundDocument> {
  const found = await documents.find(addressOf(path), held);
  if (found === null) {
    const exists = (await collections.findName(collectionKey(path.collection))) !== null;
    throw new AppError(exists ? 'document.not_found' : 'collection.not_found');
  }
  if (!allows(found.rights, action)) throw new AppError('access.denied');
  return found;
}
