import type { NewApiKey, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, token, uuid } from './fixtures.ts';

const MOST = 100;

export function apiKeysContract(current: () => Storage): void {
  const keys = () => current().apiKeys;

  async function addKey(ownerId: string, overrides: Partial<NewApiKey> = {}): Promise<NewApiKey> {
    const common = { id: uuid(), name: 'A shop 😀', role: 'registereduser', created: NOW, expires: null };
    const key = { ...common, ownerId, digest: token(), ...overrides };
    expect(await keys().add(key, MOST)).toBe(true);
    return key;
  }
  const addRoot = () => addUser(current(), 'Root', { role: 'administrator', status: 'SUSPENDED' });

  it('finds a key by its id and its digest, together with its owner as they are now', async () => {
    const root = await addRoot();
    const { digest, ...key } = await addKey(root.id, { expires: NOW + 1 });
    const owner = { id: root.id, name: 'Root', role: 'administrator', status: 'SUSPENDED' };
    const found = { ...key, lastUsed: null, owner };
    expect(await keys().find(key.id)).toEqual(found);
    expect(await keys().findByDigest(digest)).toEqual(found);
    await current().users.update(root.id, { role: 'BackOffice', status: 'ACTIVE' });
    expect((await keys().find(key.id))?.owner).toEqual({ ...owner, role: 'BackOffice', status: 'ACTIVE' });
  });

  it('finds no unknown key', async () => {
    expect(await keys().find(uuid())).toBeNull();
    expect(await keys().findByDigest(token())).toBeNull();
    expect(await keys().remove(uuid())).toBeNull();
    await keys().touch({ id: uuid(), at: NOW, since: NOW });
    expect(await keys().list()).toEqual([]);
  });

  it('lists every key, oldest first', async () => {
    const [root, other] = [await addRoot(), await addUser(current(), 'Other')];
    const ids = [uuid(NOW), uuid(NOW + 1), uuid(NOW + 2)];
    for (const [i, id] of ids.toReversed().entries()) await addKey(i === 1 ? other.id : root.id, { id });
    const listed = await keys().list();
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(listed.map(({ owner }) => owner.name)).toEqual(['Root', 'Other', 'Root']);
  });

  it('holds no more keys than it may', async () => {
    const { id: ownerId } = await addRoot();
    const { id, ...key } = await addKey(ownerId);
    expect(await keys().add({ ...key, id: uuid(), digest: token() }, 1)).toBe(false);
    await keys().remove(id);
    expect(await keys().add({ ...key, id: uuid(), digest: token() }, 1)).toBe(true);
  });

  it('refuses an owner and a role that do not exist', async () => {
    const { id: ownerId } = await addRoot();
    const key = { id: uuid(), name: 'x', created: NOW, expires: null, digest: token() };
    const unowned = { ...key, ownerId: uuid(), role: 'registereduser' };
    await expect(keys().add(unowned, MOST)).rejects.toMatchObject({ code: 'user.not_found' });
    const unknown = { ...key, ownerId, role: 'editor' };
    await expect(keys().add(unknown, MOST)).rejects.toMatchObject({ code: 'role.not_found' });
    expect(await keys().list()).toEqual([]);
  });

  it('records a use only if none was recorded lately', async () => {
    const { id } = await addKey((await addRoot()).id);
    const lastUsed = async () => (await keys().find(id))?.lastUsed;
    await keys().touch({ id, at: NOW, since: NOW - 60 });
    expect(await lastUsed()).toBe(NOW);
    await keys().touch({ id, at: NOW + 59, since: NOW - 1 });
    expect(await lastUsed()).toBe(NOW);
    await keys().touch({ id, at: NOW + 60, since: NOW });
    expect(await lastUsed()).toBe(NOW + 60);
  });

  it('removes a key once, whoever else removes it', async () => {
    const root = await addRoot();
    const { digest: _digest, ...key } = await addKey(root.id);
    const removed = await Promise.all(Array.from({ length: 5 }, () => keys().remove(key.id)));
    expect(removed.filter((found) => found !== null)).toEqual([{ ...key, lastUsed: null }]);
    expect(await keys().find(key.id)).toBeNull();
  });

  it('gives keys the new name of their role, and removes them with the role', async () => {
    const root = await addRoot();
    await current().roles.add({ name: 'Editor', description: '' });
    const { id } = await addKey(root.id, { role: 'Editor' });
    const other = await addKey(root.id);
    await current().roles.update('editor', { name: 'Author', description: '' });
    expect((await keys().find(id))?.role).toBe('Author');
    await current().roles.remove('author');
    expect((await keys().list()).map((key) => key.id)).toEqual([other.id]);
  });

  it('removes keys with their owner', async () => {
    const [root, other] = [await addRoot(), await addUser(current(), 'Other')];
    const { digest } = await addKey(root.id);
    const kept = await addKey(other.id);
    await current().users.remove(root.id);
    expect(await keys().findByDigest(digest)).toBeNull();
    expect((await keys().list()).map(({ id }) => id)).toEqual([kept.id]);
  });
}
