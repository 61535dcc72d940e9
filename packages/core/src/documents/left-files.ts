import { blobGroup } from '../blobs/keys.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Storage } from '../ports/storage/storage.ts';

/** Number of removed documents considered at a time. */
const DOCUMENTS = 20;
/** Number of files removed at a time. */
const PART = 50;

/**
 * Removes the files that removed documents have left behind, in parts that hold up no other request. The bytes are
 * removed first, so that a crash leaves none of them without a row.
 *
 * @param limit number of files after which it stops
 * @returns number of removed files; fewer than `limit` if none are left
 * @throws `blobs.unavailable`
 */
export async function removeLeftFiles(
  { storage: { files }, blobs }: { readonly storage: Pick<Storage, 'files'>; readonly blobs: Blobs },
  limit: number,
): Promise<number> {
  /** Removes the first files of a document; resolves to their number. */
  async function removePart(document: string): Promise<number> {
    const ids = await files.ofDocument(document, PART);
    await Promise.all(ids.map((id) => blobs.removeGroup(blobGroup('files', id))));
    await files.removeLeft(ids);
    if (ids.length < PART) await files.forgetDocument(document);
    return ids.length;
  }

  let removed = 0;
  for (let left = await files.leftBehind(DOCUMENTS); left.length > 0 && removed < limit; ) {
    for (const document of left) if (removed < limit) removed += await removePart(document);
    left = await files.leftBehind(DOCUMENTS);
  }
  return removed;
}
