import type { BlobGroup, BlobKey } from '../ports/blobs.ts';

/** Kinds of resources with blobs. `restores`: uploaded archives. `backups`: archives in the store of `BACKUP_URL`. */
export type BlobArea = 'files' | 'assets' | 'restores' | 'backups';

/** Name of the bytes as sent by the client. Every other name is a variant, which can be recreated. */
const ORIGINAL = 'original';

/**
 * No upper case, because some file systems ignore case. No dot at either end and no separators, so that a part is a
 * valid file name everywhere and cannot point to another folder.
 */
const PART = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/;

/** Validates a part. An invalid one is a bug, because parts never come from a request. */
function checked(part: string): string {
  if (!PART.test(part)) throw new TypeError(`"${part}" is not a valid part of a blob key`);
  return part;
}

/** Returns the group of all blobs of one owner, such as one file. */
export function blobGroup(area: BlobArea, owner: string): BlobGroup {
  return `${area}/${checked(owner)}`;
}

/** Returns the key of a blob. `name`: lower case letters, digits, and `._-` inside. */
export function blobKey(area: BlobArea, owner: string, name: string = ORIGINAL): BlobKey {
  return `${blobGroup(area, owner)}/${checked(name)}`;
}

/** Returns the parts of a key, or null if it is invalid: a blob store may contain objects of other programs. */
export function parseBlobKey(
  key: string,
): { readonly area: string; readonly owner: string; readonly name: string } | null {
  const parts = key.split('/');
  const [area = '', owner = '', name = ''] = parts;
  return parts.length === 3 && parts.every((part) => PART.test(part)) ? { area, owner, name } : null;
}
