import type { QueryParams } from '../transport/path.ts';
import { columnName, queryPath } from './paths.ts';
import type { Operator, Param } from './types.ts';

/** A query as data. */
export interface Criteria {
  /** Filters; all of them must match. */
  readonly where: readonly string[];
  /** Values of the `?` in `where`, in order. */
  readonly params: readonly string[];
  /** Full-text search; absent without one. */
  readonly search?: string;
  readonly orderBy: readonly string[];
  readonly fields: readonly string[];
  readonly groupBy: readonly string[];
  readonly expand: readonly string[];
}

export const NO_CRITERIA: Criteria = { where: [], params: [], orderBy: [], fields: [], groupBy: [], expand: [] };

/** Formats a date like the server. */
const dateText = (date: Date) => date.toISOString().replace('Z', '+0000');

const scalar = (value: unknown): unknown => (value instanceof Date ? dateText(value) : value);

/** Returns a parameter as text. @throws `TypeError` for a value that cannot be compared */
function paramText(value: unknown): string {
  const plain = scalar(value);
  if (Array.isArray(plain)) return JSON.stringify(plain.map(scalar));
  if (typeof plain === 'string' || typeof plain === 'boolean' || Number.isFinite(plain)) return String(plain);
  throw new TypeError(`${String(value)} cannot be a parameter; use "is null" for none`);
}

/** Counts the placeholders of a filter, ignoring those in strings and quoted names. */
const placeholders = (condition: string) =>
  condition.replace(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`/g, '').split('?').length - 1;

/** Adds a filter. @throws `TypeError` for a template tag, or if the number of `?` and parameters differ */
export function withCondition(criteria: Criteria, condition: string, params: readonly unknown[]): Criteria {
  if (typeof condition !== 'string') throw new TypeError("Write where('title = ?', title), not a template tag");
  const expected = placeholders(condition);
  if (expected !== params.length) {
    throw new TypeError(
      `${JSON.stringify(condition)} has ${expected} placeholders, but got ${params.length} parameters`,
    );
  }
  const texts = params.map(paramText);
  return { ...criteria, where: [...criteria.where, condition], params: [...criteria.params, ...texts] };
}

const COMPARISONS = [
  '=',
  '<>',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'like',
  'not like',
  'containsText',
  'in',
  'not in',
  'contains',
];

/** Adds a filter on one field. @throws `TypeError` */
export function withField(
  criteria: Criteria,
  { path, operator, value }: { readonly path: string; readonly operator: Operator; readonly value: unknown },
): Criteria {
  const name = queryPath(path);
  if (operator === 'is null' || operator === 'is not null') return withCondition(criteria, `${name} ${operator}`, []);
  if (operator === 'between') return withCondition(criteria, `${name} between ? and ?`, value as readonly Param[]);
  // The compiler checks this, but a page in plain JavaScript may pass on user input.
  if (!COMPARISONS.includes(operator)) throw new TypeError(`${JSON.stringify(operator)} is no operator`);
  return withCondition(criteria, `${name} ${operator} ?`, [value]);
}

const AGGREGATE = /^(count|sum|avg|min|max)\((.+)\)$/s;

/** Returns a result column. @throws `TypeError` */
export function aggregateColumn(name: string, aggregate: string): string {
  const [, operation, path = ''] = AGGREGATE.exec(aggregate) ?? [];
  if (operation === undefined) throw new TypeError(`${JSON.stringify(aggregate)} is no aggregate such as "sum(price)"`);
  return `${operation}(${path === '*' ? '*' : queryPath(path)}) as ${columnName(name)}`;
}

/** Fields are returned under the path as the app wrote it. */
export const fieldColumn = (path: string) => `${queryPath(path)} as ${columnName(path)}`;

/** A result column with the excerpt of a field around the hits of the search. */
export const snippetColumn = (path: string) => `snippet(${queryPath(path)}) as snippet`;

const listText = (texts: readonly string[]) => (texts.length === 0 ? undefined : texts.join(', '));

/** Combines filters. Each is in parentheses, so that an "or" in one does not affect the others. */
function whereText(where: readonly string[]): string | undefined {
  return where.length < 2 ? where[0] : where.map((one) => `(${one})`).join(' and ');
}

export function criteriaParams({ where, params, search, orderBy, fields, groupBy, expand }: Criteria): QueryParams {
  return {
    where: whereText(where),
    params,
    search,
    orderBy: listText(orderBy),
    fields: listText(fields),
    groupBy: listText(groupBy),
    expand: expand.length === 0 ? undefined : expand.join(','),
  };
}
