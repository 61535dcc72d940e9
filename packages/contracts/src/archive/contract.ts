import type { Archive, ArchiveKind, ArchiveRow, ArchiveSource, ArchiveTarget, Storage } from '@baobab/core';
import { GENERATED_PASSWORD } from '@baobab/core';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import {
  addCollection,
  addFactor,
  addUser,
  appliesParents,
  EVERYTHING,
  NOW,
  newDocument,
  newFile,
  newSession,
  uuid,
} from '../storage/fixtures.ts';
import { finishRemovals } from '../storage/maintenance.ts';
import { removalsInArchives } from './removals.ts';

/** An empty database with the current schema, and a function that removes it. */
export interface OpenedArchive {
  readonly archive: Archive;
  /** The same database as opened by servers, including while it is copied. */
  readonly storage: Storage;
  /** Closes the storage and removes the database. */
  dispose(): Promise<void>;
}

/** Exceeds one batch, regardless of the batch size. */
const DOCUMENTS = 2_500;
/** A batch size of a few dozen of those documents, in characters. */
const SMALL = 16_384;
/** Content that only a text column keeps unchanged. */
const CONTENT = '{"b":1.10,"a":[1e2,{"":null}],"text":"Zoë \\"漢字\\" 😀","10":0,"9":-0.1e-7}';

const PARENT = {
  field: 'shelf',
  collection: null,
  needs: { create: 'update', read: 'read', update: null, delete: null },
  onDelete: 'detach',
} as const;

/** Adds at least one row of every kind that refers to another row. */
async function fill(storage: Storage): Promise<void> {
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'böb')];
  await addUser(storage, 'admin', { role: 'administrator' });
  await storage.roles.add({ name: 'Editors', description: '' });
  await storage.sessions.add(newSession(ann.id));
  await storage.devices.register({ id: 'device', userId: ann.id, os: 'ios', registered: NOW });
  await storage.follows.add(ann.id, bob.id);
  await storage.follows.setPolicy(ann.id, 'approve');
  await storage.follows.follow(bob.id, ann.id, 'anyone');
  const cid = await addUser(storage, 'Cid');
  await storage.blocks.add(ann.id, cid.id);
  const group = { id: uuid(), name: 'Friends', created: NOW };
  await storage.groups.add(group, ann.id);
  const offer = { role: 'member', email: null, uses: 1, expires: NOW } as const;
  await storage.invitationCodes.add({ id: uuid(), groupId: group.id, by: ann.id, ...offer }, 'digest');
  await storage.invitationCodes.recordRemoval({ groupId: group.id, userId: bob.id, removed: NOW });
  await storage.groupInvitations.set({ groupId: group.id, userId: bob.id, role: 'member', by: ann.id });
  await storage.settings.set({ key: 'application.name', value: 'Bücher' });
  await addFactor(storage, bob.id, ['digest']);
  await storage.socialLinks.put({
    network: 'google',
    personId: 'A-1',
    userId: bob.id,
    details: '{}',
    sealed: 'sealed',
  });
  await storage.files.add(newFile(bob.id, { grants: [{ principal: 'r:anonymous', rights: 1 }] }));
  const message = { id: uuid(), senderId: ann.id, payload: '{}', created: NOW, expires: NOW + 60_000 };
  await storage.outbox.add(message, { userIds: [ann.id], platforms: ['ios'] });
  const books = await addCollection(storage, 'Books');
  const rule = { role: 'anonymous', condition: null };
  await storage.collections.setRules(books, {
    create: [{ role: 'backoffice', condition: null }],
    read: [rule, { ...rule, condition: 'public = true' }],
    ...((await appliesParents(storage, books)) && { parent: PARENT }),
    checks: { update: { expression: 'not changed(title)', message: 'No' } },
  });
  await storage.documents.addOrphans({ collection: 'books', id: uuid() });
  await storage.collections.setSchema(books, { version: uuid(), content: '{"type":"object"}' });
  const grants = [{ principal: `u:${bob.id}`, rights: 3 }] as const;
  await storage.documents.add(newDocument(ann.id, books, { content: CONTENT, grants }));
  await storage.transaction(async ({ documents }) => {
    for (let i = 1; i < DOCUMENTS; i++) await documents.add(newDocument(bob.id, books, { content: `{"n":${i}}` }));
  });
}

/** Returns the user's policy on followers. */
async function policyOf({ users, follows }: Storage, key: string) {
  const user = await users.findByKey(key);
  return user && follows.policy(user.id);
}

async function rowsOf(source: ArchiveSource, kind: ArchiveKind, after: ArchiveRow | null = null) {
  const rows: ArchiveRow[] = [];
  for await (const batch of source.read(kind, after)) rows.push(...batch);
  return rows;
}

async function copy(source: ArchiveSource, target: ArchiveTarget): Promise<void> {
  await target.begin('x');
  for (const kind of source.kinds) for await (const rows of source.read(kind, null)) await target.write(kind, rows);
  await target.finish();
}

/** Returns all rows of a source, by kind. */
export async function readAll(source: ArchiveSource): Promise<Readonly<Record<string, readonly ArchiveRow[]>>> {
  const all: Record<string, readonly ArchiveRow[]> = {};
  for (const kind of source.kinds) all[kind.name] = await rowsOf(source, kind);
  return all;
}

const keyOf = (kind: ArchiveKind, row: ArchiveRow | null) => kind.key.map((column) => String(row?.[column]));

/** Returns true if the first key comes before the second, by code point. */
function isBefore(a: readonly string[], b: readonly string[]): boolean {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at >= 0 && Buffer.compare(Buffer.from(a[at] ?? ''), Buffer.from(b[at] ?? '')) < 0;
}

/** Contract of every adapter that copies databases, without exceptions. */
export function archiveContract(name: string, open: () => Promise<OpenedArchive>): void {
  describe(`archive contract: ${name}`, PATIENT, () => {
    const closing: Array<() => Promise<void>> = [];
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
    });

    async function opened(): Promise<OpenedArchive> {
      const one = await open();
      closing.push(() => one.dispose());
      return one;
    }
    async function sourceOf({ archive }: OpenedArchive): Promise<ArchiveSource> {
      const source = await archive.source();
      closing.push(() => source.close());
      return source;
    }
    async function targetOf({ archive }: OpenedArchive): Promise<ArchiveTarget> {
      const target = await archive.target();
      closing.push(() => target.close());
      return target;
    }

    /** Filled once, for all tests that only read it. */
    let filled: OpenedArchive | null = null;
    afterAll(() => filled?.dispose());

    async function fullOne(): Promise<OpenedArchive> {
      if (filled === null) {
        filled = await open();
        await fill(filled.storage);
      }
      return filled;
    }

    /** A filled database as a source, which tests do not change, and an empty one as a target. */
    async function both() {
      const [full, empty] = [await fullOne(), await opened()];
      return { full, empty, source: await sourceOf(full), target: await targetOf(empty) };
    }

    it('reports the state of the schema, and can migrate it again', async () => {
      const { archive, storage } = await opened();
      const user = await addUser(storage, 'Ann');
      const status = await archive.status();
      expect(status).toMatchObject({ state: 'current', current: status.needed, pending: [] });
      expect(status.needed).toBeGreaterThan(0);
      await archive.migrate();
      expect(await archive.status()).toEqual(status);
      expect(await storage.users.find(user.id)).not.toBeNull();
    });

    it('reads all rows by ascending key, from the beginning and after any key', async () => {
      const { source } = await both();
      const counts: Record<string, number> = {};
      for (const kind of source.kinds) {
        const rows = await rowsOf(source, kind);
        counts[kind.name] = rows.length;
        expect(await source.count(kind)).toBe(rows.length);
        const keys = rows.map((row) => keyOf(kind, row));
        expect(keys.filter((key, i) => i > 0 && !isBefore(keys[i - 1] ?? [], key))).toEqual([]);
        for (const at of [0, Math.floor(rows.length / 2), rows.length - 1].filter((one) => one in rows)) {
          expect(await rowsOf(source, kind, rows[at] ?? null)).toEqual(rows.slice(at + 1));
        }
      }
      expect(counts).toMatchObject({
        users: 4,
        sessions: 1,
        follows: 1,
        follow_requests: 1,
        group_invitations: 1,
        invitation_codes: 1,
        removed_members: 1,
        blocks: 1,
        documents: DOCUMENTS,
        document_grants: 1,
      });
    });

    it('reads in batches of the requested size, and estimates the number of rows', async () => {
      const { source } = await both();
      const kind = source.kinds.find((one) => one.name === 'documents') as ArchiveKind;
      const batches: Array<readonly ArchiveRow[]> = [];
      for await (const batch of source.read(kind, null, SMALL)) batches.push(batch);
      expect(batches.flat()).toEqual(await rowsOf(source, kind));
      const lengths = batches.map((batch) => JSON.stringify(batch).length);
      expect(Math.max(...lengths)).toBeLessThan(4 * SMALL);
      expect(await source.estimate(kind)).toBeGreaterThanOrEqual(0);
    });

    it('returns rows of numbers, texts and nulls, as they were stored', async () => {
      const { source } = await both();
      const all = await readAll(source);
      for (const value of Object.values(all).flatMap((rows) => rows.flatMap((row) => Object.values(row)))) {
        expect(value === null || typeof value === 'string' || Number.isSafeInteger(value)).toBe(true);
      }
      expect((all.documents ?? []).flatMap((row) => Object.values(row))).toContain(CONTENT);
    });

    it('reads one snapshot, whatever is written meanwhile', async () => {
      const full = await opened();
      await fill(full.storage);
      const source = await sourceOf(full);
      const before = await readAll(source);
      const late = await addUser(full.storage, 'Late');
      await full.storage.documents.add(newDocument(late.id, 'books'));
      await full.storage.users.remove(before.users?.[0]?.id as string);
      await finishRemovals(full.storage, 100);
      expect(await readAll(source)).toEqual(before);
      const later = await readAll(await sourceOf(full));
      expect([later.users?.length, later.users]).toEqual([4, expect.not.arrayContaining([before.users?.[0]])]);
    });

    it('notices writes of others, and that nobody writes', async () => {
      const { archive, storage } = await opened();
      const watch = await archive.watchWrites();
      closing.push(() => watch.close());
      await addUser(storage, 'Ann');
      expect(await watch.hasWritten()).toBe(true);
      // Other databases of the server may be written to meanwhile.
      await expect.poll(() => watch.hasWritten(), { interval: 1, timeout: PATIENT.timeout }).toBe(false);
      await storage.users.findByKey('ann');
      await expect.poll(() => watch.hasWritten(), { interval: 1, timeout: PATIENT.timeout }).toBe(false);
      await addUser(storage, 'Bob');
      expect(await watch.hasWritten()).toBe(true);
    });

    it('tells whether there is any data except the administrator of a first start', async () => {
      const { empty, target, full } = await both();
      expect(await target.isEmpty()).toBe(true);
      await addUser(empty.storage, 'admin', { role: 'administrator' });
      await empty.storage.settings.set({ key: GENERATED_PASSWORD, value: 'x' });
      expect([await target.isEmpty(), await empty.archive.isEmpty()]).toEqual([true, true]);
      expect([await (await targetOf(full)).isEmpty(), await full.archive.isEmpty()]).toEqual([false, false]);
      await empty.storage.settings.set({ key: 'application.name', value: 'x' });
      expect([await target.isEmpty(), await empty.archive.isEmpty()]).toEqual([false, false]);
    });

    it('has the same rows when everything has been written, and no service starts before', async () => {
      const { source, target, empty } = await both();
      await addUser(empty.storage, 'admin', { role: 'administrator' });
      await target.begin('from here');
      expect(await target.unfinished()).toBe('from here');
      await expect(empty.storage.migrate()).rejects.toMatchObject({ code: 'storage.transfer_unfinished' });
      for (const kind of source.kinds) {
        expect(await target.last(kind)).toBeNull();
        for await (const rows of source.read(kind, null)) {
          await target.write(kind, rows);
          expect(keyOf(kind, await target.last(kind))).toEqual(keyOf(kind, rows.at(-1) ?? null));
        }
        expect(await target.count(kind)).toBe(await source.count(kind));
      }
      await target.finish();
      expect(await target.unfinished()).toBeNull();
      const written = await target.source();
      closing.push(() => written.close());
      expect(await readAll(written)).toEqual(await readAll(source));
    });

    removalsInArchives({ opened, sourceOf, targetOf, copy });

    it('can be used by services afterwards', async () => {
      const { full, source, target, empty } = await both();
      await copy(source, target);
      await empty.storage.migrate();
      for (const key of ['ann', 'böb', 'admin']) {
        const user = await full.storage.users.findByKey(key);
        expect(user).not.toBeNull();
        expect(await empty.storage.users.findByKey(key)).toEqual(user);
      }
      expect([await policyOf(empty.storage, 'ann'), await policyOf(empty.storage, 'böb')]).toEqual(['approve', null]);
      const list = { collection: 'books', scope: EVERYTHING, where: null, order: [], after: null, skip: 0, limit: 1 };
      expect(await empty.storage.documents.list(list)).toEqual(await full.storage.documents.list(list));
      expect(await empty.storage.documents.count('books', EVERYTHING, null)).toBe(DOCUMENTS);
    });

    it('continues after the last written row when it is opened again', async () => {
      const { source, target, empty } = await both();
      await target.begin('x');
      const documents = source.kinds.find((kind) => kind.name === 'documents') as ArchiveKind;
      for (const kind of source.kinds.slice(0, source.kinds.indexOf(documents))) {
        for await (const rows of source.read(kind, null)) await target.write(kind, rows);
      }
      const rows = await rowsOf(source, documents);
      await target.write(documents, rows.slice(0, 7));
      await target.close();
      const again = await targetOf(empty);
      expect([await again.unfinished(), await again.count(documents)]).toEqual(['x', 7]);
      expect(await rowsOf(source, documents, await again.last(documents))).toEqual(rows.slice(7));
    });

    it('is filled completely or not at all', async () => {
      const { source, target, empty } = await both();
      const admin = await addUser(empty.storage, 'admin', { role: 'administrator' });
      const before = await readAll(await sourceOf(empty));
      const failure = new Error('the archive is damaged');
      const filling = target.fill(async (write) => {
        for (const kind of source.kinds) for await (const rows of source.read(kind, null)) await write(kind, rows);
        throw failure;
      });
      await expect(filling).rejects.toBe(failure);
      expect(await readAll(await sourceOf(empty))).toEqual(before);
      await target.fill(async (write) => {
        for (const kind of source.kinds) for await (const rows of source.read(kind, null)) await write(kind, rows);
      });
      expect(await readAll(await sourceOf(empty))).toEqual(await readAll(source));
      expect(await empty.storage.users.find(admin.id)).toBeNull();
    });

    it('refuses rows with unknown columns', async () => {
      const { source, target } = await both();
      await target.begin('x');
      const [kind] = source.kinds as [ArchiveKind];
      const [row] = (await rowsOf(source, kind)) as [ArchiveRow];
      await expect(target.write(kind, [{ ...row, nonsense: 1 }])).rejects.toThrow();
      expect(await target.count(kind)).toBe(0);
    });
  });
}
