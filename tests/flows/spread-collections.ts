import { join } from 'node:path';
import { createPostgresArchive, createSqliteArchive } from '@baobab/adapters/archive';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import {
  accessScopeOfUser,
  addCollection,
  added,
  addUser,
  EVERYTHING,
  maintain,
  newDocument,
} from '@baobab/contracts/storage';
import {
  type Archive,
  type DocumentRecord,
  NOBODY,
  type OrderKey,
  REMOVED_NAME,
  RIGHTS,
  type Storage,
  userPrincipal,
} from '@baobab/core';
import postgres from 'postgres';
import { beforeAll, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { until } from '../support/patience.ts';

interface Distributed {
  readonly url: string;
  readonly sql: postgres.Sql;
  readonly storage: Storage;
  readonly author: string;
}

/** Tests of spread collections in a distributed database, which has four shards and a collection "Old" with documents. */
export function spreadCollections(current: () => Distributed): void {
  let url: string;
  let sql: postgres.Sql;
  let storage: Storage;
  let author: string;
  const command = (...args: string[]) => runCommand(['--json', 'citus', ...args], { DATABASE_URL: url });

  const COUNT = 60;
  /** Every third document is granted to the reader. */
  const GRANTED = 3;
  const documents: DocumentRecord[] = [];
  let reader: string;
  let from: number;

  const idsOf = (found: readonly DocumentRecord[] | null) => (found ?? []).map(({ id }) => id);
  const numberOf = ({ content }: DocumentRecord): number => JSON.parse(content).n;
  const byNumber: readonly OrderKey[] = [{ path: ['n'], descending: true }];
  const everything = {
    collection: 'events',
    scope: EVERYTHING,
    where: null,
    order: [] as readonly OrderKey[],
    after: null,
    skip: 0,
    limit: 1_000,
  };
  const address = ({ id }: DocumentRecord) => ({ collection: 'events', id });

  /** The ids of all documents, page by page. */
  async function inPages(
    list: Partial<typeof everything & { maxBytes: number }>,
    keysOf: (document: DocumentRecord) => number[],
  ): Promise<string[]> {
    const ids: string[] = [];
    for (let after: { keys: number[]; id: string } | null = null; ; ) {
      const page = await storage.documents.list({ ...everything, ...list, after });
      const last = page?.at(-1);
      if (last === undefined) return ids;
      ids.push(...idsOf(page));
      after = { keys: keysOf(last), id: last.id };
    }
  }

  beforeAll(async () => {
    ({ url, sql, storage, author } = current());
    await addCollection(storage, 'Events');
    const spread = await command('spread', 'events');
    expect(JSON.parse(spread.output)).toEqual({ name: 'Events', slices: 4 });
    reader = (await addUser(storage, 'Reader')).id;
    from = (await storage.changes.state()).horizon;
    for (let i = 0; i < COUNT; i++) {
      const grants = i % GRANTED === 0 ? [{ principal: userPrincipal(reader), rights: RIGHTS.read }] : [];
      const content = JSON.stringify({ n: (i * 7) % COUNT, group: `g${i % 2}` });
      documents.push(added(await storage.documents.add(newDocument(author, 'events', { content, grants }))));
    }
  });

  it('shows one collection, wherever collections are listed', async () => {
    expect(documents).toHaveLength(COUNT);
    const names = await storage.collections.names();
    expect(names.filter((name) => name.toLowerCase().startsWith('events'))).toEqual(['Events']);
    const listed = (await storage.collections.list()).filter(({ name }) => name === 'Events');
    expect(listed).toMatchObject([{ name: 'Events', records: COUNT }]);
    const { spread } = JSON.parse((await command('status')).output);
    expect(spread).toEqual([{ name: 'Events', slices: 4 }]);
  });

  it('keeps the documents on all nodes, and each of them on one shard', async () => {
    const nodes = await sql`select s.nodename, s.nodeport, count(*) as n from citus_shards s join documents d
      on s.shardid = get_shard_id_for_distribution_column('documents', d.collection)
      join collections c on c.id = d.collection where c.name = 'Events' group by 1, 2`;
    expect(nodes).toHaveLength(2);
    for (const document of documents.slice(0, 5)) {
      expect(await storage.documents.find(address(document), EVERYTHING)).toMatchObject(document);
      expect(await storage.documents.find({ collection: null, id: document.id }, EVERYTHING)).toMatchObject(document);
      expect(await storage.documents.locate(document.id)).toBe('events');
    }
  });

  it('lists all slices in one order', async () => {
    const ids = idsOf(documents);
    expect(idsOf(await storage.documents.list(everything))).toEqual(ids);
    expect(await inPages({ limit: 7 }, () => [])).toEqual(ids);
    const backwards: readonly OrderKey[] = [{ path: ['_creation_date'], descending: true }];
    expect(idsOf(await storage.documents.list({ ...everything, order: backwards }))).toEqual(ids.toReversed());
    const sorted = idsOf(documents.toSorted((a, b) => numberOf(b) - numberOf(a)));
    expect(await inPages({ order: byNumber, limit: 7 }, (last) => [numberOf(last)])).toEqual(sorted);
    const skipping = { ...everything, order: byNumber, skip: 41, limit: 5 };
    expect(idsOf(await storage.documents.list(skipping))).toEqual(sorted.slice(41, 46));
    // With so little at once, the slices are read in several steps.
    const maxBytes = 10 * (documents[0]?.content.length ?? 0);
    expect(idsOf(await storage.documents.list({ ...skipping, maxBytes }))).toEqual(sorted.slice(41, 46));
    const granted = idsOf(documents.filter((_, i) => i % GRANTED === 0));
    const scope = accessScopeOfUser(reader);
    expect(idsOf(await storage.documents.list({ ...everything, scope, limit: 9 }))).toEqual(granted.slice(0, 9));
    expect(await storage.documents.count('events', scope, null)).toBe(granted.length);
    expect(await storage.documents.count('events', EVERYTHING, null)).toBe(COUNT);
  });

  it('ends a page with the document that exceeds the limit in bytes', async () => {
    const { length } = documents[0]?.content ?? '';
    const page = await storage.documents.list({ ...everything, maxBytes: 10 * length });
    expect(page?.length).toBeGreaterThan(9);
    expect(page?.length).toBeLessThan(13);
    expect(idsOf(page)).toEqual(idsOf(documents).slice(0, page?.length));
    expect(await inPages({ maxBytes: 1 }, () => [])).toEqual(idsOf(documents));
  });

  it('summarizes all slices', async () => {
    const rows = await storage.documents.summarize({
      ...everything,
      groupBy: [['group']],
      aggregates: [
        { kind: 'aggregate', as: 'count', name: 'count', path: null },
        { kind: 'aggregate', as: 'sum', name: 'sum', path: ['n'] },
        { kind: 'aggregate', as: 'avg', name: 'avg', path: ['n'] },
        { kind: 'aggregate', as: 'max', name: 'max', path: ['n'] },
      ],
      order: [],
    });
    const of = (group: number) => {
      const numbers = documents.filter((_, i) => i % 2 === group).map(numberOf);
      const sum = numbers.reduce((total, n) => total + n, 0);
      return [`g${group}`, numbers.length, sum, sum / numbers.length, Math.max(...numbers)];
    };
    expect(rows).toEqual([of(0), of(1)]);
  });

  it('uses an index of the collection in each slice', async () => {
    await storage.indexes.declare({ collection: 'events', paths: [['n']], name: 'events_by_n' }, 5);
    await storage.indexes.reconcile();
    const [{ definition }] = await sql<[{ definition: string }]>`select indexdef as definition from pg_indexes
      where indexname = 'document_index_events_by_n'`;
    const slices = await sql<{ id: string }[]>`select id from collections where name_key like 'events/%'`;
    expect(slices).toHaveLength(4);
    for (const { id } of slices) expect(definition).toContain(id);
  });

  it('tells readers of the change feed of each document once, and of those that are removed', async () => {
    const [first, second] = documents as [DocumentRecord, DocumentRecord];
    expect(await storage.documents.remove(address(first), EVERYTHING)).toBe('removed');
    await storage.documents.replace(address(second), EVERYTHING, {
      content: '{"n":-1}',
      by: NOBODY,
      updated: 5,
      version: null,
    });
    const [{ end }] = await sql<[{ end: number }]>`select pg_current_xact_id()::text::int as end`;
    await until(async () => (await storage.changes.state()).horizon >= end);
    const changes = [];
    for (let after = { position: from, id: '' }; ; ) {
      const page = await storage.changes.read({
        collections: ['events'],
        scope: accessScopeOfUser(reader),
        openCollections: ['events'],
        after,
        limit: 10,
      });
      changes.push(...page.changes);
      if (!page.more) break;
      after = page.next;
    }
    expect(changes.filter(({ type }) => type === 'gone').map(({ place }) => place.id)).toEqual([first.id]);
    const put = changes.filter(({ type }) => type === 'put').map(({ place }) => place.id);
    expect(put.toSorted()).toEqual(idsOf(documents.slice(1)).toSorted());
    const { entries } = await storage.changes.readAll({ after: { position: from, id: '' }, limit: 200 });
    expect(new Set(entries.map(({ collectionKey }) => collectionKey))).toEqual(new Set(['events']));
  });

  it('shows no document of a batch before its commit, and all of it after', async () => {
    const ids: string[] = [];
    const count = () => storage.documents.count('events', EVERYTHING, null);
    const before = (await count()) ?? 0;
    await storage.transaction(async (stores) => {
      for (let i = 0; i < 12; i++) {
        ids.push(added(await stores.documents.add(newDocument(author, 'events'))).id);
      }
      expect(await stores.documents.count('events', EVERYTHING, null)).toBe(before + 12);
      expect(await count()).toBe(before);
    });
    await until(async () => (await count()) === before + 12);
    const listed = idsOf(await storage.documents.list(everything));
    expect(listed).toEqual(expect.arrayContaining(ids));
    expect(new Set(listed).size).toBe(listed.length);
  });

  async function restore(from: Archive, to: Archive): Promise<void> {
    const [source, target] = [await from.source(), await to.target()];
    await target.fill(async (write) => {
      for (const kind of source.kinds) for await (const rows of source.read(kind, null)) await write(kind, rows);
    });
    for (const opened of [source, target]) await opened.close();
  }

  it('becomes an ordinary collection in an archive that is restored on one server', async () => {
    const folder = createFolder();
    const path = join(folder.path, 'baobab.db');
    await restore(
      createPostgresArchive({ url, logger: silentLogger }),
      createSqliteArchive({ path, logger: silentLogger }),
    );
    const restored = createSqliteStorage({ path, logger: silentLogger });
    expect((await restored.collections.names()).filter((name) => name === 'Events')).toHaveLength(1);
    const scope = accessScopeOfUser(reader);
    for (const request of [everything, { ...everything, scope }]) {
      expect(await restored.documents.list(request)).toEqual(await storage.documents.list(request));
    }
    await restored.close();
    folder.remove();
  });

  it('is what only an empty collection becomes, once', async () => {
    expect((await command('spread', 'old')).errors).toContain('only an empty collection can be spread');
    expect((await command('spread', 'Events')).errors).toContain('is spread already');
    expect((await command('spread', 'nothing')).errors).toContain('Collection not found');
  });

  it('takes the documents of a program that did not know it yet', async () => {
    await addCollection(storage, 'Late');
    const isWaiting = (mode: string) => async () => {
      const [{ n }] = await sql<[{ n: number }]>`select count(*)::int as n from pg_locks
        where relation = 'documents'::regclass and mode = ${mode} and not granted`;
      return n > 0;
    };
    const other = postgres(url, { max: 1, onnotice: () => undefined });
    const held = await other.reserve();
    await held`begin`;
    await held`lock table documents in row exclusive mode`;
    const spread = command('spread', 'late', '--slices', '2');
    await until(isWaiting('AccessExclusiveLock'));
    const adding = storage.documents.add(newDocument(author, 'late'));
    await until(isWaiting('RowExclusiveLock'));
    await held`rollback`;
    held.release();
    expect(JSON.parse((await spread).output)).toEqual({ name: 'Late', slices: 2 });
    const document = added(await adding);
    await other.end();
    const late = { collection: 'late', id: document.id };
    expect(await storage.documents.find(late, EVERYTHING)).toMatchObject(document);
    expect(idsOf(await storage.documents.list({ ...everything, collection: 'late' }))).toEqual([document.id]);
  });

  it('is hidden with its slices, and removed in parts', async () => {
    const late = { ...everything, collection: 'late' };
    const [document] = (await storage.documents.list(late)) ?? [];
    expect(await storage.collections.remove('late')).toBe(true);
    expect(await storage.documents.list(late)).toBeNull();
    expect(await storage.collections.names()).not.toContain('Late');
    expect(document && (await storage.documents.find({ collection: null, id: document.id }, EVERYTHING))).toBeNull();
    while (await maintain(storage, 5));
    expect(await sql`select 1 from collections where name = ${REMOVED_NAME}`).toHaveLength(0);
    expect(await sql`select 1 from documents where id = ${document?.id ?? ''}`).toHaveLength(0);
  });

  it('is removed with its documents', async () => {
    const [first] = documents;
    expect(await storage.transaction((stores) => stores.collections.remove('events'))).toBe(true);
    while (await maintain(storage, 500));
    expect(await sql`select 1 from collections where name = 'Events'`).toHaveLength(0);
    expect(await sql`select 1 from documents where id in ${sql(idsOf(documents))}`).toHaveLength(0);
    expect(await storage.documents.list(everything)).toBeNull();
    expect(first && (await storage.documents.find(address(first), EVERYTHING))).toBeNull();
  });

  it('is an ordinary one when the archive of one server is restored on the cluster', async () => {
    const folder = createFolder();
    const cluster = createPostgresArchive({ url, logger: silentLogger });
    const server = createSqliteArchive({ path: join(folder.path, 'baobab.db'), logger: silentLogger });
    await addCollection(storage, 'Again');
    expect((await command('spread', 'again')).errors).toBe('');
    await restore(cluster, server);
    await restore(server, cluster);
    const other = createPostgresStorage({ url, logger: silentLogger });
    await other.health();
    const document = added(await other.documents.add(newDocument(author, 'again')));
    expect(document).toMatchObject({ collection: 'Again' });
    expect(idsOf(await other.documents.list({ ...everything, collection: 'again' }))).toEqual([document.id]);
    await other.close();
    folder.remove();
  });
}
