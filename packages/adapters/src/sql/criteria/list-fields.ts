import { assetColumn, fileColumn, type IndexedList, type Path, SORTED_LENGTH } from '@baobab/core';
import type { CriteriaDialect, SqlValueForm } from './dialect.ts';
import { type Context, formOf, type Resolve } from './operands.ts';
import { createParams } from './params.ts';
import { type StoredFields, storedMeaning } from './stored-fields.ts';
import { userMeaning } from './user-fields.ts';

/** Table of a list, and its alias in statements. */
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

/** @param prefix name of the table with a dot, or an empty string */
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

/** True for a literal. Constants do not affect the order, and a number in `order by` would refer to a column. */
const isLiteral = (sql: string) => /^(?:[\d.]+|'[^']*')$/.test(sql);

/** Returns the value at a path in its sorted form, which is also that of an index. */
export function sortedForm(path: Path, context: Context): SqlValueForm {
  const { rank, num, txt } = formOf(context.resolve(path), context);
  return { rank, num, txt: isLiteral(txt) ? txt : context.dialect.head(txt, SORTED_LENGTH) };
}

/** Returns the parts of a form that differ between rows. */
export const variableParts = ({ rank, num, txt }: SqlValueForm) => [rank, num, txt].filter((part) => !isLiteral(part));

/** Meanings of paths in the rows of a list, without the restrictions of a viewer. */
const MEANINGS: Readonly<Record<IndexedList, (dialect: CriteriaDialect) => Resolve>> = {
  users: (dialect) => userMeaning(dialect, { viewer: null, everything: true, asFriend: false }, '', ''),
  files: (dialect) => storedMeaning(dialect, fileFields('')),
  assets: (dialect) => storedMeaning(dialect, assetFields('')),
};

/** Returns the expressions of an index on a path, for the statement that creates it. */
export function listIndexColumns(dialect: CriteriaDialect, list: IndexedList, path: Path): string[] {
  const params = createParams(dialect.typed);
  const form = sortedForm(path, { dialect, params, resolve: MEANINGS[list](dialect), alias: () => 'e' });
  if (params.values.length > 0) throw new Error('an index cannot have parameters');
  return variableParts(form);
}
