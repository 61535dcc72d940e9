import { createMemoryBlobs, createMemoryStorage } from '@baobab/adapters/memory';
import { createNodeSecrets } from '@baobab/adapters/system';
import { addUser } from '@baobab/contracts/storage';
import { AppError, type AssetUpload, createActor, createAssets, type Storage } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { textBytes } from '../support/blobs.ts';
import { silentLogger } from '../support/logger.ts';

const MAX_BYTES = 1000;

async function setUp(change: (storage: Storage) => Storage = (storage) => storage) {
  const storage = createMemoryStorage();
  const blobs = createMemoryBlobs();
  const user = await addUser(storage, 'Ann', { role: 'administrator' });
  const assets = createAssets({
    storage: change(storage),
    blobs,
    secrets: createNodeSecrets('a key for the tests of assets'),
    clock: { now: Date.now },
    logger: silentLogger,
    resizing: { resized: () => Promise.reject(new Error('not used in this test')) },
  });
  const upload = (name: string, bytes: AsyncIterable<Uint8Array>, more: Partial<AssetUpload> = {}) =>
    assets.createFile(
      createActor(user, null),
      {
        bytes,
        early: null,
        describe: async () => ({ name, meta: null, fileName: 'a.txt', contentType: 'text/plain' }),
        ...more,
      },
      MAX_BYTES,
    );
  const kept = async () => (await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 10 })).keys;
  return { upload, kept, storage, assets, actor: createActor(user, null) };
}

async function* breaksOff(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('some');
  throw new AppError('upload.invalid');
}

describe('the bytes of an asset', () => {
  it('are stored with the row, and removed with it', async () => {
    const { upload, kept, assets, actor } = await setUp();
    const { id } = await upload('logo', textBytes('Hello'));
    expect(await kept()).toEqual([`assets/${id}/original`]);
    await assets.remove(actor, 'logo');
    expect(await kept()).toEqual([]);
  });

  it('are removed when the name is taken, however late that is discovered', async () => {
    const { upload, kept } = await setUp();
    const [one, other] = await Promise.allSettled([upload('logo', textBytes('a')), upload('logo', textBytes('b'))]);
    expect([one.status, other.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await kept()).toHaveLength(1);
  });

  it('are not read when the name is known to be taken', async () => {
    const { upload, kept } = await setUp();
    await upload('logo', textBytes('a'));
    const unread = { [Symbol.asyncIterator]: () => expect.fail('it was read') };
    await expect(upload('logo', unread, { early: { name: 'logo', meta: null } })).rejects.toMatchObject({
      code: 'asset.exists',
    });
    expect(await kept()).toHaveLength(1);
  });

  it.each([
    ['break off', breaksOff(), {}, 'upload.invalid'],
    ['exceed the limit', textBytes('x'.repeat(600), 'y'.repeat(600)), {}, 'file.too_large'],
    [
      'are followed by invalid data',
      textBytes('a'),
      { describe: () => Promise.reject(new AppError('asset.name_invalid')) },
      'asset.name_invalid',
    ],
  ])('are removed when they %s', async (_what, bytes, more, code) => {
    const { upload, kept } = await setUp();
    await expect(upload('logo', bytes, more)).rejects.toMatchObject({ code });
    expect(await kept()).toEqual([]);
  });

  it('are left to the sweep when it is unknown whether the row was committed', async () => {
    const { upload, kept, storage } = await setUp((whole) => ({
      ...whole,
      assets: {
        ...whole.assets,
        async add(asset) {
          await whole.assets.add(asset);
          throw new AppError('storage.unavailable');
        },
      },
    }));
    await expect(upload('logo', textBytes('a'))).rejects.toMatchObject({ code: 'storage.unavailable' });
    const asset = await storage.assets.find('logo');
    expect(await kept()).toEqual([`assets/${asset?.id}/original`]);
  });
});
