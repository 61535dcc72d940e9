import { assetColumn, type StoredNames } from '../criteria/stored-names.ts';
import type { AssetRecord } from '../ports/storage/assets.ts';

/** Returns the values of an asset that queries can use. */
export function assetNames({ id, name, author, created, meta, file }: AssetRecord): StoredNames {
  const { fileName = null, contentType = null, size = null } = file ?? {};
  const values = { id, name, author, created, fileName, contentType, size, data: meta, document: null };
  return { column: assetColumn, values };
}
