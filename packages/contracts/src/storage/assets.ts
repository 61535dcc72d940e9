import type { NewAsset, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOT_RESERVED, NOW, userName, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const FILE = { fileName: 'Grüße 😀.png', contentType: 'image/png', size: 3_000_000_000, sha256: 'ab'.repeat(32) };

export function assetsContract(current: () => Storage): void {
  const newAsset = (name: string, authorId: string, overrides: Partial<NewAsset> = {}): NewAsset => ({
    id: uuid(),
    name,
    authorId,
    created: NOW,
    meta: '{}',
    file: null,
    ...overrides,
  });

  it('returns an asset as it was added, with the current name of its author', async () => {
    const ann = await addUser(current(), 'Ann');
    const meta = '{"b":1,"a":["ü",-1e-7,null]}';
    const [object, file] = [newAsset('terms', ann.id, { meta }), newAsset('logo.png', ann.id, { file: FILE })];
    expect([await current().assets.add(object), await current().assets.add(file)]).toEqual([true, true]);
    const { authorId: _one, ...plain } = object;
    const { authorId: _other, ...whole } = file;
    expect(await current().assets.find('terms')).toEqual({ ...plain, author: 'Ann' });
    await current().users.rename(ann.id, userName('Anna'), NOT_RESERVED);
    expect(await current().assets.find('logo.png')).toEqual({ ...whole, author: 'Anna' });
    expect(await current().assets.find('logo')).toBeNull();
  });

  it('has case-sensitive names', async () => {
    const ann = await addUser(current(), 'Ann');
    for (const name of ['Logo', 'logo']) expect(await current().assets.add(newAsset(name, ann.id))).toBe(true);
    expect((await current().assets.find('Logo'))?.name).toBe('Logo');
    expect(await current().assets.find('LOGO')).toBeNull();
  });

  it('adds exactly one of many concurrent assets with the same name', async () => {
    const ann = await addUser(current(), 'Ann');
    const attempts = Array.from({ length: 10 }, () => newAsset('logo', ann.id));
    const results = await Promise.all(attempts.map((asset) => current().assets.add(asset)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect((await current().assets.find('logo'))?.id).toBe(attempts[results.indexOf(true)]?.id);
  });

  it('refuses an unknown author', async () => {
    await expect(current().assets.add(newAsset('logo', uuid()))).rejects.toMatchObject({ code: 'user.not_found' });
  });

  it('keeps assets of a user who is removed', async () => {
    const ann = await addUser(current(), 'Ann');
    await current().assets.add(newAsset('logo', ann.id));
    await current().users.remove(ann.id);
    await finishRemovals(current(), 100);
    expect(await current().assets.find('logo')).toMatchObject({ name: 'logo', author: null });
    expect(await current().assets.list({ where: null, order: [], after: null, skip: 0, limit: 9 })).toHaveLength(1);
  });

  it('lists in the order of ids, after a cursor and with skip', async () => {
    const ann = await addUser(current(), 'Ann');
    const assets = ['e', 'd', 'c', 'b', 'a'].map((name) => newAsset(name, ann.id));
    for (const asset of assets.toReversed()) await current().assets.add(asset);
    const names = async (after: string | null, skip: number, limit: number) =>
      (
        await current().assets.list({
          where: null,
          order: [],
          after: after === null ? null : { keys: [], id: after },
          skip,
          limit,
        })
      )
        .map(({ name }) => name)
        .join('');
    expect(await names(null, 0, 10)).toBe('edcba');
    expect(await names(null, 1, 2)).toBe('dc');
    expect(await names(assets[1]?.id ?? '', 0, 10)).toBe('cba');
    expect(await names(assets[1]?.id ?? '', 1, 1)).toBe('b');
    expect(await names(assets[4]?.id ?? '', 0, 10)).toBe('');
    expect(await current().assets.count(null)).toBe(5);
  });

  it('tells which ids belong to assets', async () => {
    const ann = await addUser(current(), 'Ann');
    const assets = Array.from({ length: 3 }, (_, i) => newAsset(`asset${i}`, ann.id));
    for (const asset of assets) await current().assets.add(asset);
    const asked = [...assets.map(({ id }) => id), ...Array.from({ length: 250 }, () => uuid())];
    expect((await current().assets.existing(asked)).toSorted()).toEqual(assets.map(({ id }) => id).toSorted());
    expect(await current().assets.existing([])).toEqual([]);
  });

  it('removes an asset, and returns its id once', async () => {
    const ann = await addUser(current(), 'Ann');
    const [logo, other] = [newAsset('logo', ann.id), newAsset('other', ann.id)];
    for (const asset of [logo, other]) await current().assets.add(asset);
    expect(await Promise.all([current().assets.remove('logo'), current().assets.remove('logo')])).toEqual(
      expect.arrayContaining([logo.id, null]),
    );
    expect([await current().assets.find('logo'), await current().assets.count(null)]).toEqual([null, 1]);
  });
}
