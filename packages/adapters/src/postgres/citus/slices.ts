import { isSliceOf } from '../../slice-keys.ts';
import type { Send } from '../send.ts';
import { isDistributed } from './detect.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Returns the slice of a document, which depends only on its id. Ids that are equal for the database have equal
 * slices.
 */
export function sliceOf(slices: readonly string[], document: string): string | null {
  let hash = FNV_OFFSET;
  for (const digit of document.toLowerCase().replace(/[^0-9a-f]/g, '')) {
    hash = Math.imul(hash ^ digit.charCodeAt(0), FNV_PRIME) >>> 0;
  }
  return slices[hash % slices.length] ?? null;
}

const SLICES_OF = `select s.id from collections c join collections s on ${isSliceOf('s.name_key', 'c.name_key')}
  where c.id = $1 order by s.name_key`;

/** Returns the ids of the slices of a collection. Empty if it is not spread. */
export async function slicesOf(send: Send, collection: string): Promise<string[]> {
  if (!(await isDistributed(send))) return [];
  const slices = (await send(SLICES_OF, [collection])).rows as { readonly id: string }[];
  return slices.map(({ id }) => id);
}
