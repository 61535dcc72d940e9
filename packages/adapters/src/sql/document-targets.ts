import { isAppError, type Path } from '@baobab/core';
import type { Target } from './criteria/document-statement.ts';
import type { SqlExecutor } from './executor.ts';

const FIND = 'select id from collections where name_key = ?1';
const READY = `select c.id, i.path, i.name from collections c
  left join collection_indexes i on i.collection = c.id and i.state = 'ready' where c.name_key = ?1`;

interface Row {
  readonly id: string;
  readonly path: string | null;
  readonly name: string | null;
}

/** Looks up what statements on a collection need: its id and its indexes. */
export function createTargets(executor: SqlExecutor) {
  async function targetOf(collection: string): Promise<Target | null> {
    const rows = await executor.read<Row>(READY, [collection]);
    const [first] = rows;
    if (first === undefined) return null;
    const indexed = rows.flatMap(({ path, name }) =>
      path === null || name === null ? [] : [{ path: JSON.parse(path) as Path, name }],
    );
    return { collection: first.id, indexed };
  }

  return {
    async exists(collection: string): Promise<boolean> {
      return (await executor.readOne(FIND, [collection])) !== null;
    },
    /** Runs a query on a collection; null when the collection does not exist. */
    async ask<Answer>(collection: string, question: (target: Target) => Promise<Answer>): Promise<Answer | null> {
      const target = await targetOf(collection);
      if (target === null) return null;
      // SQLite statements name the index, which may have been dropped since, or not be built yet in a copied database.
      if (!executor.isLocal || target.indexed.length === 0) return question(target);
      try {
        return await question(target);
      } catch (error) {
        if (isAppError(error) && error.code === 'search.too_long') throw error;
        return question({ ...target, indexed: [] });
      }
    },
  };
}
