import {
  documentColumn,
  type ListPosition,
  type OrderKey,
  type Path,
  SORTED_LENGTH,
  type SortValue,
  sortedText,
} from '@baobab/core';
import type { CriteriaDialect, SqlValueForm } from './dialect.ts';
import { AUTHOR } from './document-fields.ts';
import type { Params } from './params.ts';
import { RANK } from './scalars.ts';
import { timeFrom } from './times.ts';

/** A sort key: columns of one direction, compared as a row. */
export interface SortKey {
  /** Expressions over a row of `documents`. */
  readonly columns: readonly string[];
  readonly descending: boolean;
  /** Returns parameter marks for the values of the columns at a position. */
  marks(position: ListPosition, params: Params): string[];
  /** Data for indexes: the path in the content, and the rank of its value at a position. */
  readonly indexable?: { readonly path: Path; rankAt(position: ListPosition): number };
}

function rankOfSorted(value: SortValue): number {
  if (value === null) return 0;
  return typeof value === 'object' ? 4 : RANK[typeof value as keyof typeof RANK];
}

/** Returns parameter marks for a value, in the form used for comparisons. */
export function formMarks(value: SortValue, params: Params): string[] {
  const rank = rankOfSorted(value);
  const number = typeof value === 'number' || typeof value === 'boolean' ? Number(value) : 0;
  return [params.integer(rank), params.number(number), params.text(typeof value === 'string' ? sortedText(value) : '')];
}

const ID = 'documents.id';

/** Returns the id as a key, in a column of this name. */
export const idKey = (descending: boolean, column = ID): SortKey => ({
  columns: [column],
  descending,
  marks: ({ id }, params) => [params.add(id)],
});

/** Positions come from clients, so a value that the column cannot represent becomes the nearest possible one. */
const wholeNumber = (number: number) =>
  Math.trunc(Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)) || 0;
/** Returns true if a field is equivalent to the order of creation, which is the order of the ids. */
export function isCreation({ path }: OrderKey): boolean {
  const column = path.length === 1 ? documentColumn(path[0]) : null;
  return column === 'id' || column === 'created';
}

export interface OrderOptions {
  readonly dialect: CriteriaDialect;
  /** Returns the value at a path of the content, in its sorted form. */
  sorted(path: Path): SqlValueForm;
}

/** Returns the sort key for one field, or null if it is the same for all documents. */
function keyOf({ path, descending }: OrderKey, at: number, { sorted, dialect }: OrderOptions): SortKey | null {
  const column = documentColumn(path[0]);
  const value = ({ keys }: ListPosition) => keys[at] ?? null;
  if (column === null) {
    const { rank, num, txt } = sorted(path);
    return {
      columns: [rank, num, txt],
      descending,
      marks: (place, params) => formMarks(value(place), params),
      indexable: { path, rankAt: (place) => rankOfSorted(value(place)) },
    };
  }
  if (path.length > 1) return null;
  switch (column) {
    case 'id':
    case 'created':
      return idKey(descending);
    case 'collection':
      return null;
    case 'author': {
      const text = (place: ListPosition) => {
        const known = value(place);
        return typeof known === 'string' ? sortedText(known) : '';
      };
      const name = dialect.head(AUTHOR, SORTED_LENGTH);
      return { columns: [name], descending, marks: (place, params) => [params.text(text(place))] };
    }
    case 'updated':
    case 'version': {
      const number = (place: ListPosition) => {
        const known = value(place);
        return typeof known === 'string' ? timeFrom(known) : wholeNumber(Number(known ?? 0));
      };
      return { columns: [`documents.${column}`], descending, marks: (place, params) => [params.add(number(place))] };
    }
  }
}

/** Returns keys to sort documents by. The id is last: it is unique, so further keys have no effect. */
export function sortKeys(order: readonly OrderKey[], options: OrderOptions): SortKey[] {
  const keys: SortKey[] = [];
  for (const [at, name] of order.entries()) {
    const key = keyOf(name, at, options);
    if (key !== null) keys.push(key);
    if (key?.columns[0] === ID) return keys;
  }
  return [...keys, idKey(false)];
}

const row = (parts: readonly string[]) => (parts.length === 1 ? parts.join() : `(${parts.join(', ')})`);

/** Combines adjacent keys of one direction into a row comparison, which an index supports. */
function runs(keys: readonly SortKey[], position: ListPosition, params: Params) {
  const joined: { columns: string[]; marks: string[]; descending: boolean }[] = [];
  for (const { columns, descending, marks } of keys) {
    const last = joined.at(-1);
    if (last?.descending === descending) {
      last.columns.push(...columns);
      last.marks.push(...marks(position, params));
    } else joined.push({ columns: [...columns], marks: marks(position, params), descending });
  }
  return joined.map(({ columns, marks, descending }) => {
    const sign = descending ? '<' : '>';
    return {
      behind: `${row(columns)} ${sign} ${row(marks)}`,
      from: `${row(columns)} ${sign}= ${row(marks)}`,
    };
  });
}

/** Returns the condition for rows after a position. */
export function behind(keys: readonly SortKey[], position: ListPosition, params: Params): string {
  return runs(keys, position, params).reduceRight<string>(
    (rest, run) => (rest === '' ? run.behind : `(${run.from} and (${run.behind} or ${rest}))`),
    '',
  );
}

/** Rows after a position whose first sort columns are equal to the position's. */
export interface KeyRange {
  readonly where: string;
  /** Number of equal columns. */
  readonly alike: number;
}

/**
 * Returns the rows after a position in the order of an index, as stretches that can be searched for directly. A
 * single condition for all of them would read the index from its start.
 *
 * @param depth number of leading keys that the index covers
 */
export function rangesAfter(
  keys: readonly SortKey[],
  depth: number,
  position: ListPosition,
  params: Params,
): KeyRange[] {
  const [first, ...others] = keys;
  if (depth === 0 || first?.indexable === undefined) return [{ where: behind(keys, position, params), alike: 0 }];
  const [rank = '', num = '', txt = ''] = first.columns;
  const [isRank = '', isNum = '', isTxt = ''] = first.marks(position, params);
  const sign = first.descending ? '<' : '>';
  const sameType = `${rank} = ${isRank}`;
  const same = `${sameType} and ${num} = ${isNum} and ${txt} = ${isTxt}`;
  const stretches: KeyRange[] = rangesAfter(others, depth - 1, position, params).map(({ where, alike }) => ({
    where: `${same} and ${where}`,
    alike: first.columns.length + alike,
  }));
  stretches.push({ where: `${rank} ${sign} ${isRank}`, alike: 0 });
  const type = first.indexable.rankAt(position);
  if (type === RANK.string)
    stretches.push({ where: `${sameType} and ${num} = 0 and ${txt} ${sign} ${isTxt}`, alike: 2 });
  if (type === RANK.number || type === RANK.boolean) {
    stretches.push({ where: `${sameType} and ${num} ${sign} ${isNum}`, alike: 1 });
  }
  return stretches;
}
