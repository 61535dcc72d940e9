import { assetColumn, fileColumn, type IndexedList, type Path, SORTED_LENGTH } from '@baobab/core';
import type { CriteriaDialect, SqlValueForm } from './dialect.ts';
import { type Context, formOf, type Resolve } from './operands.ts';
import { createParams } from './params.ts';
import { type StoredFields, storedMeaning } from './stored-fields.ts';
import { userMeaning } from './user-fields.ts';

/** The table of a list, and the name that statements give to it. */
export interface ListTable {
  readonly name: string;
  readonly alias: string;
}

export const TABLES: Readonly<Record<IndexedList, ListTable>> = {
  users: { name: 'users', alias: 'u' },
  files: { name: 'files', alias: 'files' },
  assets: { name: 'assets', alias: 'a' },
};
export const TABLE_NAMES: readonly string[] = Object.values(TABLES).map(({ name }) => name);

/** @param prefix the name of the table with a dot, or nothing */
export const fileFields = (prefix: string): StoredFields => ({
  column: fileColumn,
  isOptional: () => false,
  sql: {
    id: `${prefix}id`,
    fileName: `${prefix}file_name`,
    contentType: `${prefix}content_type`,
    size: `${prefix}size`,
    author: 'u.name',
    created: `${prefix}created`,
    data: `${prefix}attached_data`,
  },
});

/** @param prefix as for files */
export const assetFields = (prefix: string): StoredFields => ({
  column: assetColumn,
  isOptional: (column) => column !== 'name',
  sql: {
    id: `${prefix}id`,
    name: `${prefix}name`,
    fileName: `${prefix}file_name`,
    contentType: `${prefix}content_type`,
    size: `${prefix}size`,
    author: 'u.name',
    created: `${prefix}created`,
    data: `${prefix}meta`,
  },
});

/** A constant does not sort anything, and a number in `order by` would refer to a column. */
const isLiteral = (sql: string) => /^(?:[\d.]+|'[^']*')$/.test(sql);

/** The value at a path in the form in which it is sorted, and in which an index has it. */
export function sortedForm(path: Path, context: Context): SqlValueForm {
  const { rank, num, txt } = formOf(context.resolve(path), context);
  return { rank, num, txt: isLiteral(txt) ? txt : context.dialect.head(txt, SORTED_LENGTH) };
}

/** The parts of a form that differ from row to row. */
export const variableParts = ({ rank, num, txt }: SqlValueForm) => [rank, num, txt].filter((part) => !isLiteral(part));

/** What a path means in the rows of a list themselves, without the limits of a viewer. */
const MEANINGS: Readonly<Record<IndexedList, (dialect: CriteriaDialect) => Resolve>> = {
  users: (dialect) => userMeaning(dialect, { viewer: null, everything: true, asFriend: false }, '', ''),
  files: (dialect) => storedMeaning(dialect, fileFields('')),
  assets: (dialect) => storedMeaning(dialect, assetFields('')),
};

/** The expressions of an index on a path, for the statement that creates it. */
export function listIndexColumns(dialect: CriteriaDialect, list: IndexedList, path: Path): string[] {
  const params = createParams(dialect.typed);
  const form = sortedForm(path, { dialect, params, resolve: MEANINGS[list](dialect), alias: () => 'e' });
  if (params.values.length > 0) throw new Error('an index cannot have parameters');
  return variableParts(form);
}
