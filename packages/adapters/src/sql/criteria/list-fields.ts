import {
  assetColumn,
  fileColumn,
  type IndexedList,
  type OrderKey,
  type Path,
  plainPath,
  REMOVED_NAME,
  SORTED_LENGTH,
} from '@baobab/core';
import { type Context, formOf, type Resolve } from './conditions.ts';
import { type CriteriaDialect, createParams, isLiteral, type SqlValueForm, variableParts } from './dialect.ts';
import { sortedForm as formForKey } from './document-fields.ts';
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
  isOptional: (column) => column === 'author' || column === 'document',
  sql: {
    id: `${prefix}id`,
    fileName: `${prefix}file_name`,
    contentType: `${prefix}content_type`,
    size: `${prefix}size`,
    author: `nullif(u.name, '${REMOVED_NAME}')`,
    created: `${prefix}created`,
    document: `(select c.name from collections c where c.id = ${prefix}collection)
      || '/' || cast(${prefix}document as text)`,
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

/** Returns the value at a path in its sorted form, which is also that of an index. */
export function sortedForm(path: Path, context: Context): SqlValueForm {
  const { rank, num, txt } = formOf(context.resolve(path), context);
  return { rank, num, txt: isLiteral(txt) ? txt : context.dialect.head(txt, SORTED_LENGTH) };
}

/** Returns the value for a key in its sorted form. */
export function keyForm(key: OrderKey, context: Context): SqlValueForm {
  if (plainPath(key) !== null) return sortedForm(key.path, context);
  return formForKey(formOf(context.resolve(key.path), context), key, context.dialect);
}

/** Meanings of paths in the rows of a list, without the restrictions of a viewer. */
const MEANINGS: Readonly<Record<IndexedList, (dialect: CriteriaDialect) => Resolve>> = {
  users: (dialect) => userMeaning(dialect, { viewer: null, everything: true, asFriend: false }, '', ''),
  files: (dialect) => storedMeaning(dialect, fileFields('')),
  assets: (dialect) => storedMeaning(dialect, assetFields('')),
};

/** Returns the expressions of an index on a path, for the statement that creates it. */
export function listIndexColumns(dialect: CriteriaDialect, list: IndexedList, path: Path): string[] {
  const params = createParams(dialect.typed);
  const form = sortedForm(path, { dialect, params, resolve: MEANINGS[list](dialect) });
  if (params.values.length > 0) throw new Error('an index cannot have parameters');
  return variableParts(form);
}
