import { setImmediate as nextTurn } from 'node:timers/promises';
import { accessScopeOfUser } from '@baobab/contracts/storage';
import { type AccessScope, userPrincipal } from '@baobab/core';
import { expect, it } from 'vitest';
import { createDocumentWindows } from '../../packages/adapters/src/sql/lists/document-windows.ts';
import type { SqlExecutor } from '../../packages/adapters/src/sql/statements/executor.ts';

const BOB = 'bob';
const OF_BOB: AccessScope = { ...accessScopeOfUser(BOB), followed: true };
const page = (collection: string) => ({
  collection,
  scope: OF_BOB,
  after: '',
  descending: false,
  size: 20,
});

/** A local database whose rows are read at once and arrive when the test says so. */
function createDatabase() {
  const rows = new Map<string, readonly object[]>();
  const arriving: Array<() => void> = [];
  let version = 1;
  const executor = {
    version: () => version,
    read: (text: string) => {
      const [, table = ''] = /from (\w+)/.exec(text) ?? [];
      const found = rows.get(table) ?? [];
      return new Promise((resolve) => void arriving.push(() => resolve(found)));
    },
  } as unknown as SqlExecutor;
  return {
    executor,
    commit(table: string, found: readonly object[]): void {
      rows.set(table, found);
      version++;
    },
    async arrive(): Promise<void> {
      for (const one of arriving.splice(0)) one();
      await nextTurn();
    },
  };
}

/** Resolves once all rows that the result needs have arrived. */
async function settled<T>(database: ReturnType<typeof createDatabase>, result: Promise<T>): Promise<T> {
  let isOver = false;
  void result.finally(() => {
    isOver = true;
  });
  while (!isOver) await database.arrive();
  return result;
}

it('a grant that is withdrawn while grants are read is not cached for the next state of the database', async () => {
  const database = createDatabase();
  const windows = createDocumentWindows(database.executor);
  database.commit('document_grants', [{ id: '1', holder: userPrincipal(BOB) }]);
  await settled(database, windows.granted(page('books')));
  const before = windows.granted(page('books'));
  await nextTurn(); // the rows are read
  database.commit('document_grants', []);
  // Another list begins between the commit and the arrival of the rows.
  await settled(database, windows.granted(page('others')));
  expect(await settled(database, before)).toEqual({ ids: ['1'], version: 2 });
  await settled(database, windows.granted(page('books')));
  expect(await settled(database, windows.granted(page('books')))).toEqual({ ids: [], version: 3 });
});

it('the same holds for a user who is unfollowed while followed users are read', async () => {
  const database = createDatabase();
  const windows = createDocumentWindows(database.executor);
  database.commit('documents', [{ id: '1', holder: 'ann' }]);
  database.commit('follows', [{ followed: 'ann' }]);
  await settled(database, windows.followed(page('books')));
  const before = windows.followed(page('books'));
  await nextTurn();
  database.commit('follows', []);
  await settled(database, windows.followed(page('others')));
  expect(await settled(database, before)).toMatchObject({ version: 3 });
  await settled(database, windows.followed(page('books')));
  expect(await settled(database, windows.followed(page('books')))).toEqual({ ids: [], version: 4 });
});
