import { fileColumn, type StoredNames } from '../criteria/stored-names.ts';
import type { FileRecord } from '../ports/storage/files.ts';

/** The values of a file that criteria can name. */
export function fileNames({ attachedData, ...file }: FileRecord): StoredNames {
  return { column: fileColumn, values: { ...file, name: null, data: attachedData } };
}
