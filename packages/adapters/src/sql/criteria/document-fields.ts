import {
  collatedText,
  documentColumn,
  type ListPosition,
  type OrderKey,
  type Path,
  plainPath,
  SORTED_LENGTH,
  type SortValue,
  sortedText,
} from '@baobab/core';
import { isThere } from '../statements/fragments.ts';
import type { Context, Meaning, Resolve } from './conditions.ts';
import {
  allOf,
  type CriteriaDialect,
  isLiteral,
  lowerForm,
  NOTHING,
  type Params,
  RANK,
  type SqlValueForm,
  variableParts,
} from './dialect.ts';
import { compileScore } from './text-tests.ts';
import { timeFrom } from './times.ts';

/** Names by id, looked up for one row. Null if the user was removed. */
const authorOf = (row: string) =>
  `(select au.name from users au where au.id = ${row}.author and ${isThere('au.name')})`;
const AUTHOR = authorOf('documents');
const updatedBy = (row: string) => `(select wu.name from users wu
  where wu.id = coalesce(${row}.updated_by, ${row}.author) and ${isThere('wu.name')})`;
const UPDATED_BY = updatedBy('documents');

const text = (txt: string): Meaning => ({ kind: 'form', form: { ...NOTHING, rank: '3', txt } });

const user = (name: string): Meaning => ({
  kind: 'form',
  form: { ...NOTHING, rank: `case when ${name} is null then 0 else 3 end`, txt: `coalesce(${name}, '')` },
});

/**
 * Returns the meaning of fields in a row of `documents`.
 *
 * @param base the content
 * @param row name of the row
 */
export function documentMeaning(dialect: CriteriaDialect, base: string, row = 'documents'): Resolve {
  const owned = (name: string): Meaning | null => {
    switch (documentColumn(name)) {
      case null:
        return null;
      case 'id':
        return text(dialect.textOf(`${row}.id`));
      case 'author':
        return user(authorOf(row));
      case 'updatedBy':
        return user(updatedBy(row));
      case 'collection':
        return text(`(select co.name from collections co where co.id = ${row}.collection)`);
      case 'created':
        return { kind: 'time', column: `${row}.created` };
      case 'updated':
        return { kind: 'time', column: `${row}.updated` };
      case 'version':
        return {
          kind: 'form',
          form: { ...NOTHING, rank: '2', num: `cast(${row}.version as double precision)` },
        };
    }
  };
  return (path: Path) => {
    const meaning = owned(path[0]);
    if (meaning === null) return { kind: 'json', place: { base, steps: path } };
    return path.length === 1 ? meaning : { kind: 'form', form: NOTHING };
  };
}

/** A sort key: columns of one direction, compared as a row. */
export interface SortKey {
  /** Expressions over a row of `documents`. */
  readonly columns: readonly string[];
  readonly descending: boolean;
  /** Returns parameter marks for the values of the columns at a position. */
  marks(position: ListPosition, params: Params): string[];
  /** True if the column is the id. */
  readonly isId?: boolean;
}

function rankOfSorted(value: SortValue): number {
  if (value === null) return 0;
  return typeof value === 'object' ? 4 : RANK[typeof value as keyof typeof RANK];
}

/** Returns parameter marks for a value, in the form used for comparisons. */
function formMarks(value: SortValue, params: Params): string[] {
  const rank = rankOfSorted(value);
  const number = typeof value === 'number' || typeof value === 'boolean' ? Number(value) : 0;
  return [params.integer(rank), params.number(number), params.text(typeof value === 'string' ? sortedText(value) : '')];
}

/** Returns parameter marks for the columns of a form that differ between rows. */
function variableMarks(form: SqlValueForm, value: SortValue, params: Params): string[] {
  const parts = [form.rank, form.num, form.txt];
  return formMarks(value, params).filter((_mark, part) => !isLiteral(parts[part] ?? ''));
}

const ID = 'documents.id';

/** Returns the id as a key, in a column of this name. */
const idKey = (descending: boolean, column: string): SortKey => ({
  columns: [column],
  descending,
  marks: ({ id }, params) => [params.add(id)],
  isId: true,
});

/** Positions come from clients, so a value that the column cannot represent becomes the nearest possible one. */
const wholeNumber = (number: number) =>
  Math.trunc(Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)) || 0;

/** An expression to sort by instead of the value of a field. */
export interface SortColumn {
  readonly sql: string;
  readonly kind: 'id' | 'text' | 'number';
}

/** Fields of sorted rows. */
export interface SortedFields {
  /** Column of the ids. */
  readonly id: string;
  /** Returns null for a field that is sorted by its value, `constant` for one that is the same in all rows. */
  column(key: OrderKey): SortColumn | 'constant' | null;
  /** Returns the value for a key, in its sorted form. */
  form(key: OrderKey): SqlValueForm;
}

/** Returns a value in the form in which a key compares it. */
export function sortedForm(value: SqlValueForm, key: OrderKey, dialect: CriteriaDialect): SqlValueForm {
  const { rank, num, txt } = key.method === undefined ? value : lowerForm(value, dialect);
  if (key.collation === undefined) return { rank, num, txt: dialect.head(txt, SORTED_LENGTH) };
  return { rank, num, txt: dialect.collated(dialect.head(dialect.collatedText(txt), SORTED_LENGTH), key.collation) };
}

/** Returns the value of a position in the form in which a key compares it. */
function comparedValue(value: SortValue | undefined, { collation }: OrderKey): SortValue {
  return typeof value === 'string' && collation !== undefined ? collatedText(value) : (value ?? null);
}

/** Returns the mark for a value in a column of this kind. */
function columnMark(kind: SortColumn['kind'], value: SortValue, params: Params): string {
  if (kind === 'text') return params.text(typeof value === 'string' ? sortedText(value) : '');
  return params.add(typeof value === 'string' ? timeFrom(value) : wholeNumber(Number(value ?? 0)));
}

/** Returns the sort key for one field, or null if it is the same in all rows. */
function keyOf(key: OrderKey, at: number, fields: SortedFields): SortKey | null {
  const { descending } = key;
  const value = ({ keys }: ListPosition) => comparedValue(keys[at], key);
  const column = fields.column(key);
  if (column === null) {
    const form = fields.form(key);
    const columns = variableParts(form);
    if (columns.length === 0) return null;
    return { columns, descending, marks: (place, params) => variableMarks(form, value(place), params) };
  }
  if (column === 'constant') return null;
  const { sql, kind } = column;
  if (kind === 'id') return idKey(descending, sql);
  return { columns: [sql], descending, marks: (place, params) => [columnMark(kind, value(place), params)] };
}

/** Returns keys to sort rows by. The id is last: it is unique, so further keys have no effect. */
export function sortKeys(order: readonly OrderKey[], fields: SortedFields): SortKey[] {
  const keys: SortKey[] = [];
  for (const [at, name] of order.entries()) {
    const key = keyOf(name, at, fields);
    if (key !== null) keys.push(key);
    if (key?.isId) return keys;
  }
  return [...keys, idKey(false, fields.id)];
}

/** Returns the fields of documents. @param form see `SortedFields` */
export const documentFields = (
  { dialect, params }: Pick<Context, 'dialect' | 'params'>,
  form: SortedFields['form'],
): SortedFields => ({
  id: ID,
  form,
  column(key) {
    if (key.score !== undefined) return { sql: compileScore(key.score, { dialect, params }), kind: 'number' };
    const [first, ...steps] = key.path;
    const column = plainPath(key) === null ? null : documentColumn(first);
    if (column !== null && steps.length > 0) return 'constant';
    // No user has an empty name, so users that no longer exist are first.
    const name = (of: string): SortColumn => ({
      sql: dialect.head(`coalesce(${of}, '')`, SORTED_LENGTH),
      kind: 'text',
    });
    switch (column) {
      case null:
        return null;
      case 'collection':
        return 'constant';
      case 'id':
      case 'created':
        return { sql: ID, kind: 'id' };
      case 'author':
        return name(AUTHOR);
      case 'updatedBy':
        return name(UPDATED_BY);
      case 'updated':
      case 'version':
        return { sql: `documents.${column}`, kind: 'number' };
    }
  },
});

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
  const columns = keys.slice(0, depth).flatMap(({ columns: of, descending, marks }) => {
    const values = marks(position, params);
    return of.map((sql, part) => ({ sql, sign: descending ? '<' : '>', mark: values[part] ?? '' }));
  });
  const equal = columns.map(({ sql, mark }) => `${sql} = ${mark}`);
  const stretches = columns.map(({ sql, sign, mark }, alike) => ({
    where: allOf([...equal.slice(0, alike), `${sql} ${sign} ${mark}`]),
    alike,
  }));
  return [
    { where: allOf([...equal, behind(keys.slice(depth), position, params)]), alike: columns.length },
    ...stretches,
  ];
}
