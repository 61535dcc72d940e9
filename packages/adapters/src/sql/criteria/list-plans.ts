import type { Condition, OrderKey } from '@baobab/core';
import type { SqlValue } from '../executor.ts';
import type { CriteriaDialect } from './dialect.ts';
import {
  helpFor,
  type ListOptions,
  type ListQuery,
  type ListRequest,
  listQuery,
  type QueryHints,
} from './document-queries.ts';
import { scopeValues, type Target } from './document-statement.ts';

/** Statements composed for one filter and one shape of the rest, without the values of the caller. */
interface Composed {
  /** Compared by identity. A statement for an equal but different object is composed again. */
  readonly order: readonly OrderKey[];
  readonly hints: QueryHints;
  readonly queries: Map<string, Omit<ListQuery, 'values'> & { readonly constants: readonly SqlValue[] }>;
}

/** Maximum number of cached shapes per filter, and maximum length of a text, in UTF-16 units. */
const MOST_SHAPES = 4;
const LONGEST_KEPT = 8_192;

export interface ListPlans {
  hints(target: Target, list: ListRequest): QueryHints;
  query(target: Target, list: ListRequest, options: ListOptions): ListQuery;
}

/** True for the first page of a filter, whose statement is the same for all callers of one kind. */
const isKept = ({ where, after, skip }: ListRequest): boolean => where !== null && after === null && skip === 0;

/** Returns a key of everything that affects the text of a statement, except the filter and the order. */
function shapeOf({ collection, indexed }: Target, { scope }: ListRequest): string {
  const { owner, everything, followed, principals } = scope;
  const indexes = indexed.map(({ name }) => name).join();
  return `${collection} ${indexes} ${owner === null} ${everything} ${followed} ${principals.length}`;
}

/**
 * Composes the statements of lists, and caches those of repeated filters, since composing one takes longer than a
 * short search. For a repeated filter, the query parser of the core returns the same object, which it drops when
 * unused. Statements have the lifetime of that object.
 */
export function createListPlans(dialect: CriteriaDialect): ListPlans {
  const known = new WeakMap<Condition, Map<string, Composed>>();

  function compose(target: Target, list: ListRequest): Composed {
    return { order: list.order, hints: helpFor(dialect, target, list), queries: new Map() };
  }

  function composedFor(where: Condition, target: Target, list: ListRequest): Composed {
    const shapes = known.get(where) ?? new Map<string, Composed>();
    known.set(where, shapes);
    const shape = shapeOf(target, list);
    const found = shapes.get(shape);
    if (found?.order === list.order) return found;
    if (shapes.size >= MOST_SHAPES) shapes.clear();
    const composed = compose(target, list);
    shapes.set(shape, composed);
    return composed;
  }

  return {
    hints(target, list) {
      const { where } = list;
      if (where === null || !isKept(list)) return helpFor(dialect, target, list);
      return composedFor(where, target, list).hints;
    },
    query(target, list, options) {
      const { where, scope } = list;
      if (where === null || !isKept(list)) return listQuery(dialect, target, list, options);
      const { queries } = composedFor(where, target, list);
      const key = `${options.plan} ${options.size} ${options.rows}`;
      const callers = scopeValues(scope);
      const kept = queries.get(key);
      if (kept !== undefined) return { ...kept, values: [...callers, ...kept.constants] };
      const query = listQuery(dialect, target, list, options);
      if (query.text.length <= LONGEST_KEPT)
        queries.set(key, { ...query, constants: query.values.slice(callers.length) });
      return query;
    },
  };
}
