import { type Compiled, createCompiler } from '../../packages/adapters/src/sql/compile.ts';
import { FIND } from '../../packages/adapters/src/sql/document-statements.ts';

/** What the answers show of a document. */
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

/** The statements, on the schema that the service has migrated. What they say of permissions is not looked at. */
export interface BareStore {
  find(collection: string, id: string): Promise<Row | undefined>;
  /** By id; of one author when `author` (a user id) is given. */
  list(collection: string, author: string | null, limit: number): Promise<Row[]>;
  /** Durable when it resolves. */
  add(row: NewRow): Promise<Row | undefined>;
}

const COLUMNS = 'd.id, u.name as author, d.version, d.created, d.updated, d.content';
const FROM = 'from documents d join users u on u.id = d.author';

/** `p` writes the nth parameter as the driver wants it; each stands once, in order. */
export const statements = (p: (n: number) => string) => {
  const inCollection = (n: number) => `d.collection = (select id from collections where name_key = ${p(n)})`;
  return {
    listAll: `select ${COLUMNS} ${FROM} where ${inCollection(1)} order by d.id limit ${p(2)}`,
    listOf: `select ${COLUMNS} ${FROM} where d.author = ${p(1)} and ${inCollection(2)} order by d.id limit ${p(3)}`,
    add: `insert into documents (id, author, created, updated, content, version, collection)
      select ${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, 1, id from collections where name_key = ${p(6)}
      returning id, (select name from users where users.id = author) as author, version, created, updated, content`,
  };
};

export interface FindStatement extends Compiled {
  params(collection: string, id: string): string[];
}

/** The service's own statement for a document, with the rights of `reader`: the work of the database is the same. */
export function findStatement(style: 'anonymous' | 'dollar', reader: string): FindStatement {
  const compiled = createCompiler(style)(FIND({ anywhere: false, everything: false, followed: true }));
  const principals = [`u:${reader}`, 'r:registereduser', 'r:anonymous', ''];
  return { ...compiled, params: (collection, id) => [collection, id, reader, ...principals] };
}
