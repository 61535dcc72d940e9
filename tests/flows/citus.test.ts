import { createPostgresStorage } from '@baobab/adapters/postgres';
import { addCollection, added, addUser, EVERYTHING, newDocument } from '@baobab/contracts/storage';
import { type DocumentRecord, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIND, REPLACE } from '../../packages/adapters/src/sql/documents/document-statements.ts';
import { list } from '../../packages/adapters/src/sql/lists/document-list-statements.ts';
import { createOnNodes, migrateAt } from '../support/citus.ts';
import { startCitus } from '../support/citus-cluster.ts';
import { runCommand } from '../support/command.ts';
import { createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch, until } from '../support/patience.ts';
import { spreadCollections } from './spread-collections.ts';

/** Enough of them that a node without one is next to impossible. */
const COLLECTIONS = ['Books', 'Films', 'Songs', 'Plays', 'Poems', 'Maps', 'Notes', 'Tasks', 'Cards', 'Dates', 'Games'];
const NOBODY = '00000000-0000-0000-0000-000000000000';
const FEW = { everything: false, followed: false, many: false, anywhere: false } as const;

/** Of what fails from here on, nothing is excused by the machine. */
const cluster = await startCitus();

if ('missing' in cluster) {
  describe('a Citus cluster', () => {
    it(`is not tested here: ${cluster.missing}`, () => {
      process.stderr.write(`a Citus cluster is not tested here: ${cluster.missing}\n`);
      expect(cluster.missing).not.toBe('');
    });
  });
} else {
  describe('a Citus cluster', () => {
    let url: string;
    let sql: postgres.Sql;
    /** Runs from before the database is distributed. */
    let storage: Storage;
    /** Also runs from before, with one connection. */
    let busy: Storage;
    const warnings: string[] = [];
    const folder = createFolder();
    /** Gives that connection back. */
    let free: () => Promise<void>;
    let author: string;
    let before: DocumentRecord;

    beforeAll(async () => {
      url = await createOnNodes(cluster.url, `distributed_${process.pid}`);
      await migrateAt(url);
      sql = postgres(url, { max: 1, onnotice: () => undefined });
      storage = createPostgresStorage({ url, logger: silentLogger });
      storage.signals.subscribe(() => undefined); // as the service does
      const warn = (_fields: object, message: string) => warnings.push(message);
      busy = createPostgresStorage({ url, logger: { ...silentLogger, warn }, connections: 1, maxWaiting: 0 });
      busy.signals.subscribe(() => undefined);
      author = (await addUser(storage, 'Ann')).id;
      await addCollection(storage, 'Old');
      const grants = [{ principal: 'r:registereduser', rights: RIGHTS.read }];
      before = added(await storage.documents.add(newDocument(author, 'old', { grants })));
      await until(() => storage.signals.live && busy.signals.live);
    });

    afterAll(async () => {
      await busy?.close();
      await storage?.close();
      await sql?.end();
      await cluster.stop();
      folder.remove();
    });

    const command = (...args: string[]) => runCommand(['--json', 'citus', ...args], { DATABASE_URL: url });

    /** Takes a connection, until the result is called. */
    async function occupy(service: Storage): Promise<() => Promise<void>> {
      const [begun, done] = [createLatch(), createLatch()];
      const end = service.transaction(() => {
        begun.open();
        return done.opened;
      });
      await begun.opened;
      return () => {
        done.open();
        return end;
      };
    }

    it('refuses to distribute a database whose documents inherit permissions', async () => {
      const needs = { create: null, read: 'read', update: null, delete: null } as const;
      const parent = { field: 'shelf', collection: null, needs, onDelete: 'detach' } as const;
      await storage.collections.setRules('old', { parent });
      const { code, errors } = await command('enable', '--shards', '4');
      expect([code, errors]).toEqual([1, expect.stringContaining('remove the parent of "Old" first')]);
      await storage.collections.setRules('old', { parent: null });
    });

    it('refuses to distribute a database with search indexes', async () => {
      await storage.searchIndexes.declare('old', [{ path: ['title'], weight: 1 }]);
      const { code, errors } = await command('enable', '--shards', '4');
      expect([code, errors]).toEqual([1, expect.stringContaining('remove the search index of "Old" first')]);
      await storage.searchIndexes.remove('old');
    });

    it('says what is left to do, does it while a service runs, and does nothing the second time', async () => {
      const plain = JSON.parse((await command('status')).output);
      expect(plain.missing.at(-1)).toBe('distribute documents and document_grants by collection');
      free = await occupy(busy);
      const enabled = await command('enable', '--shards', '4');
      expect(enabled.errors).toContain('copy users to every node');
      expect(JSON.parse(enabled.output)).toMatchObject({ missing: [], moving: null });
      expect((await command('enable')).errors).toBe('');
      const { nodes } = JSON.parse((await command('status')).output);
      expect(nodes.map(({ shards }: { shards: number }) => shards)).toEqual([0, 4, 4]);
      expect(JSON.parse((await command('rebalance')).output)).toEqual({ begun: false });
    });

    it('is noticed by a service whose connections were all in use at that moment', async () => {
      await until(() => warnings.some((warning) => warning.startsWith('cannot determine')));
      await free();
      const find = () => busy.documents.find({ collection: 'old', id: before.id }, EVERYTHING);
      await until(async () => (await find().catch(() => null)) !== null);
      expect(warnings).toContain('cannot determine whether documents are distributed, retrying');
    });

    it('is known to commands, which apply no migrations', async () => {
      await addUser(storage, 'admin', { role: 'administrator' });
      await addCollection(storage, 'Few');
      const env = { DATABASE_URL: url, DATA_DIR: folder.path, SECRET_KEY: 'k'.repeat(32) };
      const shown = await runCommand(['collection', 'show', 'Old', '--json'], env);
      expect(shown).toMatchObject({ code: 0, errors: '' });
      expect(JSON.parse(shown.output)).toMatchObject({ records: 1 });
      expect((await runCommand(['collection', 'delete', 'Few'], env)).errors).toBe('');
      expect(await storage.collections.findName('few')).toBeNull();
    });

    it('is noticed by a service that runs', async () => {
      let result: Awaited<ReturnType<typeof storage.documents.add>> = null;
      await until(async () => {
        result = await storage.documents.add(newDocument(author, 'old')).catch(() => null);
        return result !== null;
      });
      expect(result).toMatchObject({ collection: 'Old', author: 'Ann' });
      expect(await storage.documents.find({ collection: 'old', id: before.id }, EVERYTHING)).toMatchObject(before);
    });

    it('gives changes on all nodes positions in one order, which a reader sees completely', async () => {
      const address = (document: DocumentRecord) => ({
        collection: document.collection.toLowerCase(),
        id: document.id,
      });
      const now = async () => {
        const [{ position }] = await sql<[{ position: number }]>`select pg_current_xact_id()::text::int as position`;
        return position;
      };
      /** Transactions in other databases of the server hold the feed up. */
      async function caughtUp(position: number): Promise<number> {
        await until(async () => (await storage.changes.state()).horizon >= position);
        return (await storage.changes.state()).horizon;
      }
      // Behind what earlier tests have added.
      const from = await caughtUp(await now());
      const documents: DocumentRecord[] = [];
      for (const name of COLLECTIONS) {
        const document = newDocument(author, await addCollection(storage, name));
        documents.push(added(await storage.documents.add(document)));
      }
      const [first] = documents;
      if (first === undefined) throw new Error('nothing was added');
      const bob = await addUser(storage, 'Bob');
      const grant = { principal: userPrincipal(bob.id), rights: RIGHTS.read };
      await storage.documents.grant(address(first), EVERYTHING, grant);
      const end = await now();
      const nodes = await sql`select distinct nodename, nodeport from citus_shards s join documents d
        on s.shardid = get_shard_id_for_distribution_column('documents', d.collection)`;
      expect(nodes).toHaveLength(2);
      const positions = await sql<{ position: string }[]>`
        select position from documents where position >= ${from} union all
        select position from access_changes where position >= ${from}`;
      for (const { position } of positions) expect(Number(position)).toBeLessThan(end);
      await caughtUp(end);
      const page = await storage.changes.read({
        collections: null,
        scope: EVERYTHING,
        openCollections: [],
        after: { position: from, id: '' },
        limit: 100,
      });
      expect(page.changes.map(({ place }) => place.id).toSorted()).toEqual(documents.map(({ id }) => id).toSorted());
      expect(page.more).toBe(false);
    });

    it.each([
      ['a read', FIND(FEW)],
      ['a change', REPLACE({ isLocal: false })(FEW)],
      [
        'a list',
        list(
          { everything: false, granted: 'few', followed: 'many', isLocal: false, descending: false },
          { skip: 0, limit: 20 },
        ),
      ],
    ])('needs one shard for %s', async (_name, { distributed }) => {
      const [{ id }] = await sql<[{ id: string }]>`select id from collections where name_key = 'old'`;
      // Citus chooses shards by values, so they are written out.
      const values: Record<number, string> = { 1: "'old'", 8: "'0'", 9: "'0'", 10: 'null', 201: `'${id}'` };
      const written = distributed?.text.replace(/\?(\d+)/g, (_match, n: string) => values[Number(n)] ?? `'${NOBODY}'`);
      const rows = await sql.unsafe(`explain (costs off) ${written}`);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Task Count: 1\n');
    });

    it('refuses a worker, whose transactions have no place in the order', async () => {
      const [worker] = await sql`select nodename, nodeport from pg_dist_node where groupid > 0 limit 1`;
      const there = new URL(url);
      there.host = `${worker?.nodename}:${worker?.nodeport}`;
      const other = createPostgresStorage({ url: there.href, logger: silentLogger });
      await expect(other.migrate()).rejects.toMatchObject({ code: 'storage.unavailable' });
      await other.close();
    });

    describe('with a spread collection', () => spreadCollections(() => ({ url, sql, storage, author })));
  });
}
