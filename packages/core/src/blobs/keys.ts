import type { BlobGroup, BlobKey } from '../ports/blobs.ts';

/** The kinds of things that have blobs. */
export type BlobArea = 'files' | 'assets';

/** The bytes as the client sent them; every other name is a variant that can be made again. */
const ORIGINAL = 'original';

/**
 * No upper case, since some file systems ignore case; no dot at either end and no separators, so that a part is a valid
 * file name everywhere and cannot point to another folder.
 */
const PART = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/;

/** An invalid part is a fault of the program: parts never come from a request. */
function checked(part: string): string {
  if (!PART.test(part)) throw new TypeError(`"${part}" is not a valid part of a blob key`);
  return part;
}

/** The group of all blobs of one owner, such as one file. */
export function blobGroup(area: BlobArea, owner: string): BlobGroup {
  return `${area}/${checked(owner)}`;
}

/** The key of a blob. `name`: letters in lower case, digits, and `._-` inside. */
export function blobKey(area: BlobArea, owner: string, name: string = ORIGINAL): BlobKey {
  return `${blobGroup(area, owner)}/${checked(name)}`;
}

/** The parts of a key, or null when it is not a key: a blob store may contain objects that others put there. */
export function parseBlobKey(
  key: string,
): { readonly area: string; readonly owner: string; readonly name: string } | null {
  const parts = key.split('/');
  const [area = '', owner = '', name = ''] = parts;
  return parts.length === 3 && parts.every((part) => PART.test(part)) ? { area, owner, name } : null;
}
