import { comparedConstant } from './conditions.ts';
import type { Condition, IndexedPath, Operand, OrderKey, Path } from './syntax.ts';

/** Returns the path in the object. */
export const pathIn = (indexed: IndexedPath): Path => ('lower' in indexed ? indexed.lower : indexed);

export const isPlain = (indexed: IndexedPath): indexed is Path => !('lower' in indexed);

/** Returns what an index must sort by to provide an order; null if no index does. */
export function indexedPathOf({ path, method, collation }: OrderKey): IndexedPath | null {
  if (collation !== undefined) return null;
  return method === undefined ? path : { lower: path };
}

/** Returns what an index must contain to find the values of an operand; null if no index does. */
function indexedOperand(operand: Operand): IndexedPath | null {
  if (operand.kind === 'path') return operand.path;
  const isLower = operand.kind === 'call' && operand.method === 'toLowerCase' && operand.of.kind === 'path';
  return isLower ? { lower: operand.of.path } : null;
}

/** A value whose index helps to find the objects that match a condition. */
export interface Candidate {
  readonly path: IndexedPath;
  /** Lower is better. */
  readonly rank: number;
}

function helpfulOperand(operand: Operand, rank: number): Candidate | null {
  const path = indexedOperand(operand);
  return path === null ? null : { path, rank };
}

/** Returns the value of a condition whose index helps; null if there is none. */
export function helpfulIndex(condition: Condition): Candidate | null {
  switch (condition.kind) {
    case 'compare': {
      const compared = comparedConstant(condition);
      if (compared === null || compared.operator === '<>') return null;
      return helpfulOperand(compared.operand, compared.operator === '=' ? 0 : 2);
    }
    case 'in':
      return helpfulOperand(condition.operand, 1);
    case 'like':
      return /^[%_]/.test(condition.pattern) ? null : helpfulOperand(condition.operand, 2);
    case 'null':
      return helpfulOperand(condition.operand, 3);
    default:
      return null;
  }
}
