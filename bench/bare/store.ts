import { FIND } from '../../packages/adapters/src/sql/documents/document-statements.ts';
import { type AccessPaths, FIRST_ID, list } from '../../packages/adapters/src/sql/lists/document-list-statements.ts';
import { type Compiled, compile } from '../../packages/adapters/src/sql/statements/statement.ts';

/** The document columns that responses contain. */
export interface Row {
  readonly id: string;
  readonly author: string;
  readonly version: number;
  readonly created: number;
  readonly updated: number;
  readonly content: string;
}

export interface NewRow {
  readonly id: string;
  readonly collection: string;
  readonly author: string;
  readonly created: number;
  readonly content: string;
}

/** The statements on the server's migrated schema. Their permission results are ignored. */
export interface BareStore {
  find(collection: string, id: string): Promise<Row | undefined>;
  /** Returns the newest documents by id; only those of one author if `author` (a user id) is given. */
  list(collection: string, author: string | null, limit: number): Promise<Row[]>;
  /** Resolves when the row is durable. */
  add(row: NewRow): Promise<Row | undefined>;
}

/**
 * Returns the insert statement. `p` formats the nth parameter in the driver's syntax. Each parameter occurs once, in
 * order.
 */
export const addStatement = (p: (n: number) => string) => `
  insert into documents (id, author, created, updated, content, version, collection)
  select ${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, 1, id from collections where name_key = ${p(6)}
  returning id, (select name from users where users.id = author) as author, version, created, updated, content`;

export interface FindStatement extends Compiled {
  params(collection: string, id: string): string[];
}

/**
 * Returns the server's statement for a document with the permissions of `reader`, so that the database does the same
 * work.
 */
export function findStatement(style: 'anonymous' | 'dollar', reader: string): FindStatement {
  const compiled = compile(style, FIND({ anywhere: false, everything: false, followed: true, many: false }));
  return { ...compiled, params: (collection, id) => [collection, id, reader, ...principalsOf(reader)] };
}

const principalsOf = (reader: string) => [`u:${reader}`, 'r:registereduser', 'r:anonymous', ''];

export interface ListStatement extends Compiled {
  params(collection: string): Array<string | number>;
}

/** Returns the server's statement for the first page of a list, by these access paths. */
export function listStatement(
  style: 'anonymous' | 'dollar',
  reader: string,
  accessPaths: AccessPaths,
  limit: number,
): ListStatement {
  const compiled = compile(style, list(accessPaths, { skip: 0, limit }));
  return { ...compiled, params: (collection) => [collection, FIRST_ID, reader, ...principalsOf(reader), 0] };
}

/** Access paths of an administrator. */
export const EVERYTHING: AccessPaths = {
  everything: true,
  granted: 'few',
  followed: 'no',
  isLocal: false,
  descending: false,
};
