import { conjuncts } from '../criteria/conditions.ts';
import { type Candidate, helpfulIndex, indexedPathOf, pathIn } from '../criteria/indexed-path.ts';
import { documentColumn } from '../criteria/names.ts';
import { indexedPathText, pathText } from '../criteria/operands.ts';
import type { Condition, Operand, OrderKey } from '../criteria/syntax.ts';

/** A field and the operator applied to it, without values. */
interface SearchedField {
  /** In the query language, with methods. */
  readonly field: string;
  readonly operator: string;
}

/** A search without its values, and its total cost. */
export interface SearchCost {
  readonly conditions: readonly SearchedField[];
  readonly orderBy: readonly { readonly field: string; readonly descending: boolean }[];
  /** Content paths whose index helps, best first. */
  readonly candidates: readonly Candidate[];
  readonly searches: number;
  readonly milliseconds: number;
  /** Number of returned rows. */
  readonly returned: number;
}

interface SearchedCriteria {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
}

/** Tracks the searches that took longest in this process, in bounded memory. */
export interface SearchCosts {
  /**
   * Runs a search and adds its cost, even if it fails. Plain lists in an order that needs no index are not counted.
   *
   * @param collection key of the collection
   * @param rows returns the number of rows in a result
   */
  measured<T>(
    collection: string,
    criteria: SearchedCriteria,
    work: () => Promise<T>,
    rows: (result: T) => number,
  ): Promise<T>;
  /** Start of counting, in milliseconds. */
  readonly since: number;
  /** Returns the searches of a collection, slowest first. */
  of(collection: string): SearchCost[];
}

/** Maximum number of tracked searches, over all collections. */
const MOST_CRITERIA = 200;
/** Maximum length of a tracked search, in characters. */
const LONGEST = 500;

type Leaf = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;

/** Returns a path as text, a call as `name.length()`; null for anything else. */
function fieldText(operand: Operand): string | null {
  if (operand.kind === 'path') return pathText(operand.path);
  const of = operand.kind === 'call' ? fieldText(operand.of) : null;
  return of === null || operand.kind !== 'call' ? null : `${of}.${operand.method}()`;
}

function fieldsOf(operand: Operand, operator: string): SearchedField[] {
  if (operand.kind === 'distance') return operand.of.flatMap((of) => fieldsOf(of, 'distance'));
  const field = fieldText(operand);
  return field === null ? [] : [{ field, operator }];
}

const OPERATORS: Readonly<Record<Exclude<Leaf['kind'], 'compare' | 'fullText'>, string>> = {
  in: 'in',
  like: 'like',
  null: 'is null',
  contains: 'contains',
  some: 'contains',
  containsText: 'containstext',
};

/** Returns the fields of a condition; within `contains (…)` only the array. */
function searched(condition: Condition): SearchedField[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(searched);
    case 'not':
      return searched(condition.condition);
    case 'compare':
      return [condition.left, condition.right].flatMap((operand) => fieldsOf(operand, condition.operator));
    case 'fullText':
      return condition.search.index.fields.map(({ path }) => ({ field: pathText(path), operator: 'search' }));
    default:
      return fieldsOf(condition.operand, OPERATORS[condition.kind]);
  }
}

const orderText = ({ path, method, collation }: OrderKey) =>
  indexedPathText(method === undefined ? path : { lower: path }) +
  (collation === undefined ? '' : ` collate '${collation}'`);

function candidatesOf({ where, order }: SearchedCriteria): Candidate[] {
  const found = (where === null ? [] : conjuncts(where)).map(helpfulIndex).filter((one) => one !== null);
  const [first] = order;
  const sorted = first === undefined || first.score !== undefined ? null : indexedPathOf(first);
  if (sorted !== null) found.push({ path: sorted, rank: 4 });
  return found.filter(({ path }) => documentColumn(pathIn(path)[0]) === null).sort((a, b) => a.rank - b.rank);
}

interface Entry {
  readonly collection: string;
  readonly conditions: readonly SearchedField[];
  readonly orderBy: SearchCost['orderBy'];
  readonly candidates: SearchCost['candidates'];
  searches: number;
  milliseconds: number;
  returned: number;
}

/** @param steady returns the milliseconds of a monotonic clock */
export function createSearchCosts({ now, steady }: { now(): number; steady(): number }): SearchCosts {
  const since = now();
  const entries = new Map<string, Entry>();

  /** Makes room for one entry by dropping the one with the lowest cost. */
  function makeRoom(): void {
    if (entries.size < MOST_CRITERIA) return;
    let least: readonly [key: string, milliseconds: number] | null = null;
    for (const [key, { milliseconds }] of entries) {
      if (least === null || milliseconds < least[1]) least = [key, milliseconds];
    }
    if (least !== null) entries.delete(least[0]);
  }

  function entryOf(collection: string, criteria: SearchedCriteria): Entry | null {
    const conditions = criteria.where === null ? [] : searched(criteria.where);
    const orderBy = criteria.order.map((sorted) => ({ field: orderText(sorted), descending: sorted.descending }));
    const key = JSON.stringify([collection, conditions, orderBy]);
    if (key.length > LONGEST) return null;
    const known = entries.get(key);
    if (known !== undefined) return known;
    makeRoom();
    const made = {
      collection,
      conditions,
      orderBy,
      candidates: candidatesOf(criteria),
      searches: 0,
      milliseconds: 0,
      returned: 0,
    };
    entries.set(key, made);
    return made;
  }

  function add(collection: string, criteria: SearchedCriteria, milliseconds: number, returned: number): void {
    const entry = entryOf(collection, criteria);
    if (entry === null) return;
    entry.searches++;
    entry.milliseconds += milliseconds;
    entry.returned += returned;
  }

  return {
    since,
    async measured(collection, criteria, work, rows) {
      if (criteria.where === null && candidatesOf(criteria).length === 0) return work();
      const begun = steady();
      let returned = 0;
      try {
        const result = await work();
        returned = rows(result);
        return result;
      } finally {
        add(collection, criteria, steady() - begun, returned);
      }
    },
    of: (collection) =>
      Array.from(entries.values())
        .filter((entry) => entry.collection === collection)
        .sort((a, b) => b.milliseconds - a.milliseconds),
  };
}
