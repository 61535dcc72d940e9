import { type Condition, conjuncts, type IndexedPath, indexedPathOf, type OrderKey } from '@baobab/core';
import { anyOf, type Params, variableParts } from '../criteria/dialect.ts';
import { alternatives, type Demand, demandOf, type FormOf, pathKey } from '../criteria/index-keys.ts';

/** A usable index: sorts documents by the values at its paths, in sequence, and then by id. */
export interface ReadyIndex {
  readonly paths: readonly IndexedPath[];
  readonly name: string;
}

/** Ranges of an index that match a filter, and the remaining conditions. */
export interface IndexedFilter {
  readonly index: ReadyIndex;
  /** Disjoint ranges of the index. A matching row is in one of them. */
  readonly ranges: readonly string[];
  /** Number of leading paths with one value in each range. */
  readonly fixed: number;
  /** Number of leading paths that the ranges limit: the fixed ones, and possibly one more. */
  readonly used: number;
  /**
   * Number of leading keys of the requested order that the index covers, including those with one value in each range.
   * Null if the rows of a range are not in that order.
   */
  readonly depth: number | null;
  /** Remaining conditions. */
  readonly others: readonly Condition[];
}

/** Requirements of the filter on the value at one path. */
interface PathRequirements {
  readonly demands: Demand[];
  readonly conditions: Condition[];
}

type Candidate = Pick<IndexedFilter, 'index' | 'fixed' | 'used' | 'depth'>;

/** A requested order. */
export interface RequestedOrder {
  readonly keys: readonly OrderKey[];
  /** Returns true if a key is equivalent to the order of the ids. */
  isById(key: OrderKey): boolean;
}

/** Returns the `depth` of an index whose first `fixed` paths have one value each. */
function depthIn({ paths }: ReadyIndex, fixed: number, order: RequestedOrder): number | null {
  const constant = new Set(paths.slice(0, fixed).map(pathKey));
  let [at, depth] = [fixed, 0];
  for (const key of order.keys) {
    const sorted = indexedPathOf(key);
    if (sorted === null) break;
    const text = pathKey(sorted);
    if (!constant.has(text)) {
      const next = paths[at];
      if (next === undefined || pathKey(next) !== text) break;
      at++;
    }
    depth++;
  }
  const rest = order.keys[depth];
  const isByIdNow = at === paths.length && (rest === undefined || order.isById(rest));
  return isByIdNow || at > fixed ? depth : null;
}

/** Returns the index with the requested order, or a prefix of it. Null if there is none. */
export function orderedIndex(
  indexes: readonly ReadyIndex[],
  order: RequestedOrder,
): { readonly index: ReadyIndex; readonly depth: number } | null {
  const found = indexes.flatMap((index) => {
    const depth = depthIn(index, 0, order);
    return depth === null ? [] : [{ index, depth }];
  });
  const [best] = found.sort((a, b) => b.depth - a.depth || a.index.paths.length - b.index.paths.length);
  return best ?? null;
}

const isEqual = (asked: PathRequirements | undefined) => asked?.demands.some(({ isEquality }) => isEquality) === true;

function candidateOf(
  index: ReadyIndex,
  asked: ReadonlyMap<string, PathRequirements>,
  order: RequestedOrder,
): Candidate | null {
  const keys = index.paths.map(pathKey);
  const different = keys.findIndex((key) => !isEqual(asked.get(key)));
  const fixed = different === -1 ? keys.length : different;
  const next = keys[fixed];
  const used = next !== undefined && asked.has(next) ? fixed + 1 : fixed;
  return used === 0 ? null : { index, fixed, used, depth: depthIn(index, fixed, order) };
}

/** Sorts the narrowest index first. Of equally narrow ones, prefers more of the order, and then the smallest index. */
const byUse = (a: Candidate, b: Candidate) =>
  b.fixed - a.fixed ||
  b.used - a.used ||
  (b.depth ?? -1) - (a.depth ?? -1) ||
  a.index.paths.length - b.index.paths.length;

export interface IndexedFilters<Filter> {
  /** For the index that leaves the fewest rows, judging by the filter. */
  readonly narrow: Filter;
  /** For the narrowest index whose ranges are in the requested order, possibly `narrow`. Null if there is none. */
  readonly ordered: Filter | null;
}

interface Indexes {
  readonly indexes: readonly ReadyIndex[];
  /** Returns the columns of a path in the indexes, or null if none has it. */
  readonly formOf: FormOf;
  readonly params: Params;
}

/**
 * Splits a filter into ranges of an index and the rest. Returns null if no index helps.
 *
 * @param compile compiles the rest
 */
export function indexedFilters<Filter>(
  where: Condition | null,
  order: RequestedOrder,
  { indexes, formOf, params }: Indexes,
  compile: (filter: IndexedFilter) => Filter,
): IndexedFilters<Filter> | null {
  if (where === null || indexes.length === 0) return null;
  const asked = new Map<string, PathRequirements>();
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
  const inOrder = candidates.find(({ depth }) => depth !== null);
  const narrow = compile(filterBy(best));
  if (inOrder === undefined) return { narrow, ordered: null };
  return { narrow, ordered: inOrder === best ? narrow : compile(filterBy(inOrder)) };
}

/** Returns the text of a statement that counts the rows in ranges, up to `most` in each. @param from reads the rows */
export function rangeCount(from: string, ranges: readonly string[], most: number): string {
  const counted = ranges.map(
    (range, i) => `select * from (select 1 as one from ${from} where ${range} limit ${most}) r${i}`,
  );
  return `select count(*) as n from (${counted.join(' union all ')}) found`;
}

/**
 * Returns the columns that are equal in all rows of a range: those of paths with one value, and the rank of the next
 * path.
 */
export function alikeIn(
  { index, fixed, used }: Pick<IndexedFilter, 'index' | 'fixed' | 'used'>,
  formOf: FormOf,
): ReadonlySet<string> {
  const columns = index.paths.slice(0, used).flatMap((path, at) => {
    const form = formOf(path);
    if (form === null) return [];
    return at < fixed ? variableParts(form) : [form.rank];
  });
  return new Set(columns);
}
