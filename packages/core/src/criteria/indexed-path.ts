import type { IndexedPath, Operand, OrderKey, Path } from './syntax.ts';

/** Returns the path in the object. */
export const pathIn = (indexed: IndexedPath): Path => ('lower' in indexed ? indexed.lower : indexed);

export const isPlain = (indexed: IndexedPath): indexed is Path => !('lower' in indexed);

/** Returns what an index must sort by to provide an order; null if no index does. */
export function indexedPathOf({ path, method, collation }: OrderKey): IndexedPath | null {
  if (collation !== undefined) return null;
  return method === undefined ? path : { lower: path };
}

/** Returns what an index must contain to find the values of an operand; null if no index does. */
export function indexedOperand(operand: Operand): IndexedPath | null {
  if (operand.kind === 'path') return operand.path;
  const isLower = operand.kind === 'call' && operand.method === 'toLowerCase' && operand.of.kind === 'path';
  return isLower ? { lower: operand.of.path } : null;
}
