import { createMemoryBlobs } from '@baobab/adapters/memory';
import { AppError, type Blobs } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createDatabase, STORAGES } from '../support/databases.ts';
import { filePart, multipart } from '../support/files.ts';
import { adminOf, expectStatus, type Person } from '../support/people.ts';
import { startUpload } from '../support/slow-upload.ts';
import { openSocket } from '../support/sockets.ts';

const SIZE = 200_000;
/** More than are removed at a time. */
const MANY = 210;
const AT_ONCE = 10;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A blob store whose removals can be made to fail. */
function unreliable() {
  const blobs = createMemoryBlobs();
  let isDown = false;
  const store: Blobs = {
    ...blobs,
    async removeGroup(group) {
      if (isDown) throw new AppError('blobs.unavailable');
      return blobs.removeGroup(group);
    },
  };
  return {
    store,
    setDown: (down: boolean) => {
      isDown = down;
    },
    keys: async () => (await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 1000 })).keys,
  };
}

describe.each(Object.entries(STORAGES))('files of documents, on %s', (_name, openStorage) => {
  /** Starts a backend with a document of a user. */
  async function open() {
    const [storage, blobs] = [await openStorage(), unreliable()];
    cleanups.push(() => storage.dispose());
    const backend = await createTestBackend({ databaseUrl: storage.url, blobStore: blobs.store });
    cleanups.push(() => backend.close());
    const world = createWorld(backend, blobs.store);
    const [owner, collection] = [await world.user(), await world.collection()];
    const body = { title: 'Launch' };
    const { data } = await expectStatus(
      world.call('POST', `/document/${collection}`, { token: owner.token, body }),
      200,
    );
    return { storage, blobs, backend, world, owner, document: `${collection}/${data.id}`, collection };
  }

  const attach = (world: World, { token }: Person, document: string) =>
    expectStatus(world.call('POST', `/file?document=${document}`, { token, bytes: multipart(filePart('x')) }), 201);
  const countOf = async (world: World) =>
    (await world.call('GET', '/file/details?count=true', { basic: adminOf(world) })).data[0].count;

  it('are refused if the document is removed, or the right revoked, during the upload', async () => {
    const { backend, world, owner, document, blobs } = await open();
    const port = await openSocket(backend.app);
    const member = await world.user();
    const grant = `/document/${document}/update/user/${member.name}`;
    await expectStatus(world.call('PUT', grant, { token: owner.token }), 200);
    const begin = (token: string) =>
      startUpload(port, { size: SIZE, token, appCode: backend.appCode, path: `/file?document=${document}` });
    const [theirs, own] = [await begin(member.token), await begin(owner.token)];
    for (const upload of [theirs, own]) await upload.send(SIZE / 2);
    await expectStatus(world.call('DELETE', grant, { token: owner.token }), 200);
    await theirs.send(SIZE);
    await theirs.endFile();
    expect(await theirs.finish()).toBe('HTTP/1.1 403 Forbidden');
    await expectStatus(world.call('DELETE', `/document/${document}`, { token: owner.token }), 204);
    await own.send(SIZE);
    await own.endFile();
    expect(await own.finish()).toBe('HTTP/1.1 404 Not Found');
    expect(await countOf(world)).toBe(0);
    await expect.poll(blobs.keys).toEqual([]);
  });

  it('are never left behind by uploads during the removal', async () => {
    const { backend, world, owner, collection, blobs } = await open();
    const { token } = owner;
    for (let round = 0; round < 5; round++) {
      const { data } = await world.call('POST', `/document/${collection}`, { token, body: { round } });
      const document = `${collection}/${data.id}`;
      const uploads = Array.from({ length: AT_ONCE }, () =>
        world.call('POST', `/file?document=${document}`, { token, bytes: multipart(filePart('x')) }),
      );
      const removed = world.call('DELETE', `/document/${document}`, { token });
      const statuses = (await Promise.all(uploads)).map(({ status }) => status);
      expect(statuses.filter((status) => ![201, 404].includes(status))).toEqual([]);
      expect((await removed).status).toBe(204);
    }
    expect(await countOf(world)).toBe(0);
    await backend.sweep();
    expect(await blobs.keys()).toEqual([]);
  });

  it('are invisible once the document is gone, and go when the blob store is back', async () => {
    const { backend, world, owner, document, blobs } = await open();
    const { data } = await attach(world, owner, document);
    blobs.setDown(true);
    await expectStatus(world.call('DELETE', `/document/${document}`, { token: owner.token }), 204);
    expect((await world.call('GET', `/file/${data.id}`, { token: owner.token })).status).toBe(404);
    expect(await countOf(world)).toBe(0);
    expect(await blobs.keys()).toHaveLength(1);
    blobs.setDown(false);
    await backend.sweep();
    expect(await blobs.keys()).toEqual([]);
  });

  it('go in parts if they are many', async () => {
    const { world, owner, document, blobs } = await open();
    for (let at = 0; at < MANY; at += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => attach(world, owner, document)));
    }
    const list = `/file/details?document=${document}&count=true`;
    expect((await world.call('GET', list, { token: owner.token })).data).toEqual([{ count: MANY }]);
    await expectStatus(world.call('DELETE', `/document/${document}`, { token: owner.token }), 204);
    expect(await countOf(world)).toBe(0);
    expect(await blobs.keys()).toEqual([]);
  });
});

it('of documents appear and end on another node immediately', async () => {
  const [database, blobs] = [await createDatabase(), createMemoryBlobs()];
  cleanups.push(database.drop);
  const start = async () => {
    const backend = await createTestBackend({ databaseUrl: database.url, blobStore: blobs });
    cleanups.push(() => backend.close());
    return createWorld(backend, blobs);
  };
  const here = await start();
  const [owner, member, collection] = [await here.user(), await here.user(), await here.collection()];
  const there = await start();
  const as = ({ token }: Person) => ({ token });
  // Test backends do not share the key of sessions.
  const asMember = { basic: [member.name, 'secret'] } as const;
  const seen = async () => (await there.call('GET', '/file/details', asMember)).data.length;
  // The other node has cached that no file belongs to a document.
  expect(await seen()).toBe(0);
  const { data } = await expectStatus(here.call('POST', `/document/${collection}`, { ...as(owner), body: {} }), 200);
  const document = `${collection}/${data.id}`;
  const bytes = multipart(filePart('x'));
  const { id } = (await expectStatus(here.call('POST', `/file?document=${document}`, { ...as(owner), bytes }), 201))
    .data;
  const grant = `/document/${document}/read/user/${member.name}`;
  await expectStatus(here.call('PUT', grant, as(owner)), 200);
  expect(await seen()).toBe(1);
  await expectStatus(here.call('DELETE', grant, as(owner)), 200);
  expect(await seen()).toBe(0);
  const rules = { read: ['registereduser'] };
  const change = (body: object) =>
    here.call('PUT', `/admin/collection/${collection}/rules`, { basic: adminOf(here), body });
  await expectStatus(change(rules), 200);
  expect((await there.call('GET', `/file/${id}`, asMember)).status).toBe(200);
  expect(await seen()).toBe(1);
  await expectStatus(change({ read: [] }), 200);
  expect((await there.call('GET', `/file/${id}`, asMember)).status).toBe(404);
  expect(await seen()).toBe(0);
});
