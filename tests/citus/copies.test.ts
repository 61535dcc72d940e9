import { join } from 'node:path';
import { createPostgresArchive, createSqliteArchive } from '@baobab/adapters/archive';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { readAll } from '@baobab/contracts/archive';
import { addCollection, addUser, EVERYTHING, newDocument } from '@baobab/contracts/storage';
import { type NewDocument, NOBODY, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CITUS_URL, createCitusDatabase } from '../support/citus.ts';
import { createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { pause } from '../support/patience.ts';
import { startCommand } from '../support/program.ts';

/** Enough for both nodes to have some. */
const COLLECTIONS = ['Books', 'Films', 'Songs', 'Plays', 'Poems', 'Maps'];
const DOCUMENTS = 20;
/** Between two batches. */
const PAUSE_MS = 5;

type Database = Awaited<ReturnType<typeof createCitusDatabase>>;

describe('copies of a distributed database', () => {
  const databases: Database[] = [];
  let folder: ReturnType<typeof createFolder>;
  let here: Database;
  let storage: Storage;
  /** One in each collection; a batch changes all of them. */
  let together: NewDocument[];

  async function createEmpty(): Promise<Database> {
    if (CITUS_URL === undefined) throw new Error('there is no cluster');
    const database = await createCitusDatabase(CITUS_URL);
    databases.push(database);
    return database;
  }

  const at = (name: string) => join(folder.path, name);

  beforeAll(async () => {
    folder = createFolder();
    here = await createEmpty();
    storage = createPostgresStorage({ url: here.url, logger: silentLogger });
    await storage.migrate(); // notices the cluster
    const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
    await storage.follows.add(bob.id, ann.id);
    const grants = [{ principal: userPrincipal(bob.id), rights: RIGHTS.read }];
    together = [];
    for (const name of COLLECTIONS) {
      const collection = await addCollection(storage, name);
      together.push(newDocument(ann.id, collection, { content: '{"n":0}' }));
      for (let i = 0; i < DOCUMENTS; i++) await storage.documents.add(newDocument(ann.id, collection, { grants }));
    }
    for (const document of together) await storage.documents.add(document);
  });

  afterAll(async () => {
    await storage?.close();
    for (const { drop } of databases) await drop();
    folder.remove();
  });

  async function succeed(database: string, ...args: string[]): Promise<void> {
    const { code, errors } = await startCommand(args, {
      DATABASE_URL: database,
      DATA_DIR: folder.path,
      SECRET_KEY: 'k'.repeat(32),
    }).ended;
    expect([code, errors]).toEqual([0, '']);
  }

  async function rowsIn(database: string) {
    const archive = database.startsWith('sqlite:')
      ? createSqliteArchive({ path: database.slice('sqlite:'.length), logger: silentLogger })
      : createPostgresArchive({ url: database, logger: silentLogger });
    const source = await archive.source();
    const rows = await readAll(source);
    await source.close();
    return rows;
  }

  /** Changes documents on all nodes in one transaction after the other. Resolves when told to stop. */
  function startBatches() {
    let isStopping = false;
    let count = 0;
    const ended = (async () => {
      while (!isStopping) {
        const content = JSON.stringify({ n: ++count });
        await storage.transaction(async ({ documents }) => {
          for (const { collection, id } of together) {
            await documents.replace({ collection, id }, EVERYTHING, {
              content,
              by: NOBODY,
              updated: count,
              version: null,
            });
          }
        });
        await pause(PAUSE_MS); // a backup gives way to everybody
      }
    })();
    return async () => {
      isStopping = true;
      await ended;
      return count;
    };
  }

  it('contain one moment of all nodes, though batches go on', async () => {
    const stop = startBatches();
    await succeed(here.url, 'backup', '--to', at('backup.tar'), '--throttle', '0').finally(stop);
    const there = await createEmpty();
    await succeed(there.url, 'restore', '--from', at('backup.tar'));
    const { documents = [], document_grants: grants = [] } = await rowsIn(there.url);
    expect([documents.length, grants.length]).toEqual([
      COLLECTIONS.length * (DOCUMENTS + 1),
      COLLECTIONS.length * DOCUMENTS,
    ]);
    const ids = together.map(({ id }) => id);
    const contents = documents.flatMap(({ id, content }) => (ids.includes(String(id)) ? [content] : []));
    expect(contents).toHaveLength(COLLECTIONS.length);
    expect(new Set(contents).size).toBe(1);
  });

  it('refuse rules that a distributed database cannot apply', async () => {
    const path = at('inheriting.db');
    const local = createSqliteStorage({ path, logger: silentLogger });
    await local.migrate();
    const needs = { create: null, read: 'read', update: null, delete: null } as const;
    const parent = { field: 'shelf', collection: null, needs, onDelete: 'detach' } as const;
    await local.collections.setRules(await addCollection(local, 'Books'), { parent });
    await local.close();
    const args = ['transfer', '--from', `sqlite:${path}`, '--to', (await createEmpty()).url];
    const { code, errors } = await startCommand(args, { SECRET_KEY: 'k'.repeat(32) }).ended;
    expect([code, errors]).toEqual([1, expect.stringContaining('cannot inherit permissions')]);
  });

  it('refuse search indexes', async () => {
    const path = at('searched.db');
    const local = createSqliteStorage({ path, logger: silentLogger });
    await local.migrate();
    await local.searchIndexes.declare(await addCollection(local, 'Books'), [{ path: ['title'], weight: 1 }]);
    await local.close();
    const args = ['transfer', '--from', `sqlite:${path}`, '--to', (await createEmpty()).url];
    const { code, errors } = await startCommand(args, { SECRET_KEY: 'k'.repeat(32) }).ended;
    expect([code, errors]).toEqual([1, expect.stringContaining('words of documents')]);
  });

  it('go to SQLite and back without a change', async () => {
    const local = `sqlite:${at('copy.db')}`;
    const back = await createEmpty();
    await succeed(here.url, 'transfer', '--from', here.url, '--to', local);
    await succeed(local, 'transfer', '--from', local, '--to', back.url);
    expect(await rowsIn(back.url)).toEqual(await rowsIn(here.url));
  });
});
