import { fileColumn, type StoredNames } from '../criteria/stored-names.ts';
import type { FileRecord } from '../ports/storage/files.ts';

/** Returns the document of a file as clients see it, `collection/id`; null if it belongs to none. */
export const placeOfFile = ({ collection, document }: Pick<FileRecord, 'collection' | 'document'>): string | null =>
  document === null ? null : `${collection}/${document}`;

/** Returns the values of a file that queries can use. */
export function fileNames(file: FileRecord): StoredNames {
  const values = { ...file, name: null, data: file.attachedData, document: placeOfFile(file) };
  return { column: fileColumn, values };
}
