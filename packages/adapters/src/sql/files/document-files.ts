import { sufficientRights } from '@baobab/core';
import { isOneOfMany } from '../documents/access-scope.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { idIn, jsonRows } from '../statements/fragments.ts';

/*
 * Files that belong to documents. Conditions begin with a test that is false for all other files, and searches with one
 * for the first such file, so that others cost nothing. Parameters are those of `file-statements.ts`.
 */

const READABLE = sufficientRights('read');

/** Rights on documents that give read access to their files. */
export interface Inheritance {
  /** True if the caller has many principals. */
  readonly many: boolean;
  readonly followed: boolean;
  /** Condition on the row `d` of a document for read access under rules; null without rules. */
  readonly ruled: string | null;
}

const isLeft = (column: string) => `${column} in (select l.owner from left_files l)`;
const IS_ANY_LEFT = 'exists (select 1 from left_files)';

/** Condition that the document of a file, if there is one, is not removed. */
export const IS_VISIBLE = `(files.document is null or not ${IS_ANY_LEFT}
  or not (${isLeft('files.document')} or ${isLeft('files.collection')}))`;

/** Condition like IS_VISIBLE for the id of a file. */
export const isVisible = (id: string) =>
  `(not ${IS_ANY_LEFT} or exists (select 1 from files where files.id = ${id} and ${IS_VISIBLE}))`;

/** Number of files whose documents are removed. */
export const HIDDEN = `(select count(*) from (select 1 as one from left_files limit 1) any_left cross join files
  where files.document is not null and not ${IS_VISIBLE})`;

/** Condition for read access to the document of a file. */
export function mayReadDocument({ many, followed, ruled }: Inheritance): string {
  const mine = many ? isOneOfMany('g.principal', '?3') : 'g.principal in (?3, ?4, ?5, ?6)';
  const alternatives = [
    'd.author = ?2',
    `exists (select 1 from document_grants g where g.collection = d.collection and g.document = d.id and ${mine}
      and (g.rights & ${READABLE}) <> 0)`,
  ];
  if (followed) {
    alternatives.push('exists (select 1 from follows f where f.follower = ?2 and f.followed = d.author)');
  }
  if (ruled !== null) alternatives.push(ruled);
  return `(files.document is not null and exists (select 1 from documents d
    where d.id = files.document and (${alternatives.join(' or ')})))`;
}

/** Nothing is read if no file belongs to a document: the row prevents it on SQLite, the condition on Postgres. */
const ANY_FILE = '(select 1 as one from files o where o.document is not null limit 1) any_file';
const IF_ANY_FILE = 'exists (select 1 from files o where o.document is not null)';

/** Returns statements with the ids of the documents that a caller may read, apart from rules. */
function readableDocuments({ many, followed }: Inheritance): string[] {
  const granted = many
    ? 'json_each(?3) p cross join document_grants g where g.principal = p.key'
    : 'document_grants g where g.principal in (?3, ?4, ?5, ?6)';
  const ids = [
    `select d.id from ${ANY_FILE} cross join documents d where d.author = ?2 and ${IF_ANY_FILE}`,
    `select g.document as id from ${ANY_FILE} cross join ${granted} and (g.rights & ${READABLE}) <> 0 and ${IF_ANY_FILE}`,
  ];
  if (!followed) return ids;
  return [
    ...ids,
    `select d.id from ${ANY_FILE} cross join follows f cross join documents d
      where f.follower = ?2 and d.author = f.followed and ${IF_ANY_FILE}`,
  ];
}

/**
 * Returns statements with the ids of the files whose documents the caller may read, some of them repeatedly. Those
 * under rules are found among all files of documents.
 *
 * @param after further condition on the files
 * @param end order and limit of each statement
 */
export function inheritedFiles(inheritance: Inheritance, after = '', end = ''): string[] {
  const direct = `select files.id from (${readableDocuments(inheritance).join(' union ')}) readable cross join files
    where files.document = readable.id and ${IS_VISIBLE}${after}${end}`;
  const { ruled } = inheritance;
  if (ruled === null) return [direct];
  return [
    direct,
    `select files.id from files where files.document is not null and ${IS_VISIBLE}${after}
      and exists (select 1 from documents d where d.id = files.document and ${ruled})${end}`,
  ];
}

/** ?1 documents as a JSON array */
const leave = (executor: SqlExecutor) => `insert into left_files (owner, is_document)
  select distinct f.document, 1 from ${jsonRows(executor, '?1')} w cross join files f
  where f.document = ${idIn(executor, 'w.value')} on conflict (owner) do nothing`;

/**
 * Records which of these documents leave files behind. They are locked and about to be removed, or just removed.
 * Returns true if any do.
 */
export async function leaveFiles(transaction: SqlExecutor, documents: readonly string[]): Promise<boolean> {
  return documents.length > 0 && (await transaction.change(leave(transaction), [JSON.stringify(documents)])) > 0;
}

export const ANY_OWNED = 'select 1 as one from files where document is not null limit 1';
/** Makes the files of a collection invisible whose removal begins. ?1 collection */
export const HIDE_FILES = 'insert into left_files (owner, is_document) values (?1, 0)';
/** ?1 owner */
export const FORGET_OWNER = 'delete from left_files where owner = ?1';
/** ?1 limit */
export const LEFT_BEHIND = 'select owner as id from left_files where is_document = 1 order by owner limit ?1';
/** ?1 document, ?2 limit */
export const OF_DOCUMENT = 'select id from files where document = ?1 order by id limit ?2';
