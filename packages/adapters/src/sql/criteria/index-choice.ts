import type { Condition, OrderKey, Path } from '@baobab/core';
import { alternatives, conjuncts, type Demand, demandOf, type FormOf, pathKey } from './index-keys.ts';
import type { Params } from './params.ts';
import { anyOf } from './scalars.ts';

/** An index that is ready: it sorts documents by the values at its paths, one after the other, and then by id. */
export interface ReadyIndex {
  readonly paths: readonly Path[];
  readonly name: string;
}

/** How an index serves an order. */
export interface IndexOrder {
  /** How many of the first keys of the order the index has, including those with one value in each range. */
  readonly depth: number;
}

/** The ranges of an index in which a condition holds, and what remains to be checked. */
export interface IndexedFilter {
  readonly index: ReadyIndex;
  /** Disjoint ranges of the index, of which one must contain the row. */
  readonly ranges: readonly string[];
  /** How many of the first paths have one value in each range. */
  readonly fixed: number;
  /** How many of the first paths the ranges limit: those, and perhaps one more. */
  readonly used: number;
  /** Null when the rows of a range do not come in the requested order. */
  readonly inOrder: IndexOrder | null;
  /** The remaining conditions. */
  readonly others: readonly Condition[];
}

/** What the conditions require of the value at one path. */
interface Asked {
  readonly demands: Demand[];
  readonly conditions: Condition[];
}

type Candidate = Pick<IndexedFilter, 'index' | 'fixed' | 'used' | 'inOrder'>;

/** A requested order. */
export interface RequestedOrder {
  readonly keys: readonly OrderKey[];
  /** Whether a key stands for the order of the ids. */
  isById(key: OrderKey): boolean;
}

/** The order of an index whose first `fixed` paths have one value each; null when it is not the requested one. */
function orderIn({ paths }: ReadyIndex, fixed: number, order: RequestedOrder): IndexOrder | null {
  const constant = new Set(paths.slice(0, fixed).map(pathKey));
  let [at, depth] = [fixed, 0];
  for (const key of order.keys) {
    const text = pathKey(key.path);
    if (!constant.has(text)) {
      const next = paths[at];
      if (next === undefined || pathKey(next) !== text) break;
      at++;
    }
    depth++;
  }
  const rest = order.keys[depth];
  const isByIdNow = at === paths.length && (rest === undefined || order.isById(rest));
  return isByIdNow || at > fixed ? { depth } : null;
}

/** The index whose order is the requested one, or begins like it; null when there is none. */
export function orderedIndex(
  indexes: readonly ReadyIndex[],
  order: RequestedOrder,
): { readonly index: ReadyIndex; readonly inOrder: IndexOrder } | null {
  const found = indexes.flatMap((index) => {
    const inOrder = orderIn(index, 0, order);
    return inOrder === null ? [] : [{ index, inOrder }];
  });
  const [best] = found.sort((a, b) => b.inOrder.depth - a.inOrder.depth || a.index.paths.length - b.index.paths.length);
  return best ?? null;
}

const isEqual = (asked: Asked | undefined) => asked?.demands.some(({ isEquality }) => isEquality) === true;

function candidateOf(index: ReadyIndex, asked: ReadonlyMap<string, Asked>, order: RequestedOrder): Candidate | null {
  const keys = index.paths.map(pathKey);
  const different = keys.findIndex((key) => !isEqual(asked.get(key)));
  const fixed = different === -1 ? keys.length : different;
  const next = keys[fixed];
  const used = next !== undefined && asked.has(next) ? fixed + 1 : fixed;
  return used === 0 ? null : { index, fixed, used, inOrder: orderIn(index, fixed, order) };
}

const depthOf = ({ inOrder }: Candidate) => inOrder?.depth ?? -1;

/** The narrowest index first; of equally narrow ones the one that has more of the order, and then the smallest. */
const byUse = (a: Candidate, b: Candidate) =>
  b.fixed - a.fixed || b.used - a.used || depthOf(b) - depthOf(a) || a.index.paths.length - b.index.paths.length;

interface IndexedFilters {
  /** By the index that leaves the fewest rows, as far as the condition shows. */
  readonly narrow: IndexedFilter;
  /** By the narrowest index whose ranges come in the requested order; null when there is none. */
  readonly ordered: IndexedFilter | null;
}

interface Indexes {
  readonly indexes: readonly ReadyIndex[];
  /** The columns of a path in the indexes that have it; null when none has. */
  readonly formOf: FormOf;
  readonly params: Params;
}

/** Splits a condition into ranges of an index and the rest; null when no index helps. */
export function indexedFilters(
  where: Condition,
  order: RequestedOrder,
  { indexes, formOf, params }: Indexes,
): IndexedFilters | null {
  const asked = new Map<string, Asked>();
  const plain: Condition[] = [];
  for (const condition of conjuncts(where)) {
    const demand = demandOf(condition, formOf, params);
    if (demand === null) {
      plain.push(condition);
      continue;
    }
    const key = pathKey(demand.path);
    const known = asked.get(key) ?? { demands: [], conditions: [] };
    known.demands.push(demand);
    known.conditions.push(condition);
    asked.set(key, known);
  }
  const leading = (key: string) =>
    indexes.filter(({ paths: [first] }) => first !== undefined && pathKey(first) === key);
  const candidates = Array.from(asked.keys())
    .flatMap(leading)
    .flatMap((index) => candidateOf(index, asked, order) ?? [])
    .sort(byUse);

  function filterBy(candidate: Candidate): IndexedFilter {
    const { index, used } = candidate;
    const limited = new Set(index.paths.slice(0, used).map(pathKey));
    const others = [...plain];
    let shared = '';
    for (const [key, { demands, conditions }] of asked) {
      // Requirements on the first path of another index are added to each range, so that both indexes can be used.
      const isInRanges = limited.has(key);
      const isAdded = !isInRanges && leading(key).length > 0;
      if (isAdded) shared += ` and ${anyOf(alternatives(demands, formOf))}`;
      others.push(...conditions.filter((_condition, at) => !(isInRanges || isAdded) || demands[at]?.isExact !== true));
    }
    const ranges = index.paths.slice(0, used).reduce<readonly string[]>(
      (before, path) => {
        const next = alternatives(asked.get(pathKey(path))?.demands ?? [], formOf);
        return before.flatMap((range) => next.map((one) => (range === '' ? one : `${range} and ${one}`)));
      },
      [''],
    );
    return { ...candidate, ranges: ranges.map((range) => `(${range}${shared})`), others };
  }

  const [best] = candidates;
  if (best === undefined) return null;
  const inOrder = candidates.find((candidate) => candidate.inOrder !== null);
  const narrow = filterBy(best);
  if (inOrder === undefined) return { narrow, ordered: null };
  return { narrow, ordered: inOrder === best ? narrow : filterBy(inOrder) };
}
