import { createBoundedCache, type DocumentRecord, REMOVED_NAME } from '@baobab/core';
import { pathsOfText } from '../index-paths.ts';
import type { Target } from './criteria/document-statement.ts';
import { contentPaths } from './criteria/index-keys.ts';
import type { SqlExecutor } from './executor.ts';
import { withIndexes } from './with-indexes.ts';

const FIND = 'select id from collections where name_key = ?1';
/** Collection with this key, and its indexes. */
export const READY = `select c.id, i.path, i.name from collections c
  left join collection_indexes i on i.collection = c.id and i.state = 'ready' where c.name_key = ?1`;

/**
 * Time for which a target serves lists before a new look-up, in milliseconds. A new index may remain unused that
 * long.
 */
const RECENT_MS = 1_000;
/** Maximum number of collections with a cached target. */
const MOST_RECENT = 1_000;

interface Row {
  readonly id: string;
  readonly path: string | null;
  readonly name: string | null;
}

/** Looks up the id and the indexes of a collection, for statements on it. */
export function createTargets(executor: SqlExecutor) {
  const recent = createBoundedCache<string, { readonly target: Target; readonly since: number }>(MOST_RECENT);

  async function targetOf(collection: string): Promise<Target | null> {
    const rows = await executor.read<Row>(READY, [collection]);
    const [first] = rows;
    if (first === undefined) return null;
    const indexed = rows.flatMap(({ path, name }) =>
      path === null || name === null ? [] : [{ paths: contentPaths(pathsOfText(path)), name }],
    );
    return { collection: first.id, indexed };
  }

  const askOf = <Answer>(target: Target, question: (target: Target) => Promise<Answer>): Promise<Answer> =>
    withIndexes(executor, target.indexed, (indexed) => question({ ...target, indexed }));

  async function lookUp(collection: string): Promise<Target | null> {
    const target = await targetOf(collection);
    if (target === null) recent.delete(collection);
    else recent.set(collection, { target, since: performance.now() });
    return target;
  }

  return {
    async exists(collection: string): Promise<boolean> {
      return (await executor.readOne(FIND, [collection])) !== null;
    },
    /** Runs a query on a collection. Returns null if the collection does not exist. */
    async ask<Answer>(collection: string, question: (target: Target) => Promise<Answer>): Promise<Answer | null> {
      const target = await targetOf(collection);
      return target === null ? null : askOf(target, question);
    },
    /**
     * Like `ask`, for a query that returns documents, which prove that their collection exists. So a recent target
     * can be used. It is looked up again only if there are no documents, or those of a collection that is being
     * removed.
     */
    async askForDocuments<Row extends Pick<DocumentRecord, 'collection'>>(
      collection: string,
      question: (target: Target) => Promise<Row[]>,
    ): Promise<Row[] | null> {
      const known = recent.get(collection);
      if (known === undefined || performance.now() - known.since > RECENT_MS) {
        const target = await lookUp(collection);
        return target === null ? null : askOf(target, question);
      }
      const rows = await askOf(known.target, question);
      const [first] = rows;
      if (first !== undefined && first.collection !== REMOVED_NAME) return rows;
      const target = await lookUp(collection);
      if (target === null || target.collection === known.target.collection) return target && rows;
      return askOf(target, question);
    },
  };
}
