import { AppError } from '../errors.ts';
import { operandValue } from './evaluate.ts';
import { pathText } from './operands.ts';
import type { SummaryOrderKey } from './summary.ts';
import type { Aggregate, Field, OrderKey, Path, Query, SortValue } from './syntax.ts';
import type { Resolve } from './values.ts';

/** A searched object: its values by name, and their stored JSON text. */
export interface Source {
  readonly resolve: Resolve;
  /** Returns the JSON text of the value at a path; null if it is absent. */
  json(path: Path): string | null;
}

/** Returns the value of a member of a row, as JSON text. Numbers and key order are as stored. */
function memberJson({ operand }: Field, source: Source): string {
  if (operand.kind === 'path') return source.json(operand.path) ?? 'null';
  return JSON.stringify(operandValue(operand, source.resolve) ?? null);
}

/**
 * Returns a JSON object. Stops as soon as it is too long, to bound memory.
 *
 * @throws `criteria.invalid` if it would have more than `most` characters
 */
function object<T extends { readonly as: string }>(members: readonly T[], json: (member: T) => string, most: number) {
  const parts: string[] = [];
  let length = 0;
  for (const member of members) {
    const part = `${JSON.stringify(member.as)}:${json(member)}`;
    length += part.length;
    if (length > most) throw wrong(`fields: one row would have more than ${most} bytes; name fewer`);
    parts.push(part);
  }
  return `{${parts.join(',')}}`;
}

/**
 * Returns a JSON object with the requested members, in their order. Absent values are null.
 *
 * @throws `criteria.invalid` if it would have more than `most` characters
 */
export function projected(fields: readonly Field[], source: Source, most: number): string {
  return object(fields, (field) => memberJson(field, source), most);
}

/** A member of a summary row, with its index in the group values followed by the aggregates. */
interface SummaryMember {
  readonly as: string;
  readonly column: number;
}

/** Execution plan of a query. */
export type Plan =
  | { readonly kind: 'objects' }
  | { readonly kind: 'rows'; readonly fields: readonly Field[] }
  | {
      readonly kind: 'summary';
      readonly groupBy: readonly Path[];
      readonly aggregates: readonly Aggregate[];
      readonly order: readonly SummaryOrderKey[];
      readonly members: readonly SummaryMember[];
    };

const wrong = (detail: string) => new AppError('criteria.invalid', { detail });
const same = (a: Path, b: Path) => JSON.stringify(a) === JSON.stringify(b);

/** Returns the index of a path in `groupBy`; -1 if it is not there. */
const groupOf = (path: Path, groupBy: readonly Path[]) => groupBy.findIndex((group) => same(group, path));

function summaryOrder(order: readonly OrderKey[], groupBy: readonly Path[], members: readonly SummaryMember[]) {
  return order.map(({ path, descending }): SummaryOrderKey => {
    const named = path.length === 1 ? members.find(({ as }) => as === path[0])?.column : undefined;
    const column = named ?? groupOf(path, groupBy);
    if (column === -1) throw wrong('orderBy: expected names of fields or of groupBy when objects are grouped');
    return { column, descending };
  });
}

/** @throws `criteria.invalid` if `fields` or `orderBy` cannot be combined with the grouping */
export function planOf({ fields, groupBy, order }: Query): Plan {
  const wanted =
    fields ?? groupBy.map((path): Field => ({ kind: 'field', operand: { kind: 'path', path }, as: pathText(path) }));
  const aggregates = wanted.filter((field) => field.kind === 'aggregate');
  if (groupBy.length === 0 && aggregates.length === 0) {
    return fields === null
      ? { kind: 'objects' }
      : { kind: 'rows', fields: wanted.filter((field) => field.kind === 'field') };
  }
  const members = wanted.map((field): SummaryMember => {
    if (field.kind === 'aggregate') return { as: field.as, column: groupBy.length + aggregates.indexOf(field) };
    const column = field.operand.kind === 'path' ? groupOf(field.operand.path, groupBy) : -1;
    if (column === -1) throw wrong('fields: expected aggregates and names of groupBy when objects are grouped');
    return { as: field.as, column };
  });
  return { kind: 'summary', groupBy, aggregates, members, order: summaryOrder(order, groupBy, members) };
}

/** Returns a summary row as a JSON object with the requested members. @throws `criteria.invalid` as `projected` */
export function summaryJson(members: readonly SummaryMember[], row: readonly SortValue[], most: number): string {
  return object(members, ({ column }) => JSON.stringify(row[column] ?? null), most);
}
