import { fileColumn, type StoredNames } from '../criteria/stored-names.ts';
import type { FileRecord } from '../ports/storage/files.ts';

/** Returns the values of a file that queries can use. */
export function fileNames({ attachedData, ...file }: FileRecord): StoredNames {
  return { column: fileColumn, values: { ...file, name: null, data: attachedData } };
}
