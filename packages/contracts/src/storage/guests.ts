import type { NewUser, Storage, Stores } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

export function guestsContract(current: () => Storage): void {
  const addGuest = (name: string, overrides: Partial<NewUser> = {}) =>
    addUser(current(), name, { guest: true, passwordHash: null, ...overrides });
  const removeAbsent = (id: string, moment: number) =>
    current().transaction(async ({ users }) => (await users.lockAbsentGuest(id, moment)) && users.remove(id));
  const isGuest = async (id: string) => (await current().users.find(id))?.guest;
  const absent = async (moment: number, limit = 100) => (await current().users.absentGuests(moment, limit)).toSorted();

  it('knows who is a guest, in every read', async () => {
    const [guest, ann] = [await addGuest('Guest'), await addUser(current(), 'Ann')];
    expect([await isGuest(guest.id), await isGuest(ann.id)]).toEqual([true, false]);
    const { users } = current();
    expect((await users.findByKey('guest'))?.guest).toBe(true);
    expect((await users.view('guest', ann.id))?.guest).toBe(true);
    expect(await users.lookUp({ keys: ['guest', 'ann'], viewer: null })).toMatchObject([
      { guest: true },
      { guest: false },
    ]);
  });

  it.each<[string, (stores: Stores, id: string) => Promise<unknown>]>([
    ['a password', ({ users }, id) => users.update(id, { passwordHash: 'hash' })],
    ['a change that says so', ({ users }, id) => users.update(id, { guest: false })],
  ])('makes a guest permanent by %s', async (_what, change) => {
    const guest = await addGuest('Guest');
    await current().users.update(guest.id, { status: 'SUSPENDED' });
    expect(await isGuest(guest.id)).toBe(true);
    await change(current(), guest.id);
    expect(await isGuest(guest.id)).toBe(false);
    expect(await absent(NOW + 1)).toEqual([]);
    expect(await removeAbsent(guest.id, NOW + 1)).toBe(false);
  });

  it('names guests who were not there, up to the limit', async () => {
    await addUser(current(), 'Ann', { passwordHash: null });
    const guests = [await addGuest('One'), await addGuest('Two'), await addGuest('Three', { created: NOW + 5 })];
    const [one, two, three] = guests.map(({ id }) => id) as [string, string, string];
    expect(await absent(NOW)).toEqual([]);
    expect(await absent(NOW + 1)).toEqual([one, two].toSorted());
    expect(await absent(NOW + 6)).toEqual([one, two, three].toSorted());
    expect(await absent(NOW + 6, 2)).toHaveLength(2);
    await current().users.seen(one, NOW + 10);
    await current().users.seen(one, NOW + 8);
    expect(await absent(NOW + 9)).toEqual([two, three].toSorted());
    await current().users.seen(uuid(), NOW);
  });

  it('does not make a guest of anybody who was seen', async () => {
    const ann = await addUser(current(), 'Ann', { passwordHash: null });
    await current().users.seen(ann.id, NOW + 1);
    expect([await isGuest(ann.id), await absent(NOW + 5)]).toEqual([false, []]);
  });

  it('removes a guest with all data, if they were not there', async () => {
    const guest = await addGuest('Guest');
    const collection = await addCollection(current(), 'books');
    const document = newDocument(guest.id, collection);
    await current().documents.add(document);
    expect(await removeAbsent(guest.id, NOW)).toBe(false);
    expect(await removeAbsent(guest.id, NOW + 1)).toBe(true);
    expect(await current().users.find(guest.id)).toBeNull();
    await finishRemovals(current(), 100);
    expect(await current().documents.find({ collection, id: document.id }, EVERYTHING)).toBeNull();
    expect(await removeAbsent(guest.id, NOW + 1)).toBe(false);
  });

  it('never removes a guest who can log in, such as one to whom a program that knows no guests gave a way', async () => {
    const [withPassword, withLink, withPasskey] = [
      await addGuest('One', { passwordHash: 'hash' }),
      await addGuest('Two'),
      await addGuest('Three'),
    ];
    const link = { network: 'google', personId: '1', sealed: '', details: '{}' };
    await current().socialLinks.put({ ...link, userId: withLink.id });
    const passkey = { credential: 'c', publicKey: 'k', counter: 0, transports: [], name: 'Phone', created: NOW };
    await current().passkeys.add({ ...passkey, id: uuid(), userId: withPasskey.id });
    expect(await absent(NOW + 1)).toEqual([]);
    for (const { id } of [withPassword, withLink, withPasskey]) {
      expect(await removeAbsent(id, NOW + 1)).toBe(false);
    }
  });

  it('either makes a guest permanent or removes them, whatever comes at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await addGuest(`Guest${round}`);
      const keep = () =>
        current().transaction(async ({ users }) => {
          if ((await users.update(id, {})) === null) return false;
          return (await users.update(id, { passwordHash: 'hash' })) !== null;
        });
      const remove = () => removeAbsent(id, NOW + 1);
      const both = round % 2 === 0 ? [keep(), remove()] : [remove(), keep()];
      const outcomes = await Promise.all(both);
      const [isKept, isRemoved] = round % 2 === 0 ? outcomes : outcomes.toReversed();
      expect(isKept).not.toBe(isRemoved);
      expect((await current().users.find(id)) !== null).toBe(isKept);
    }
  });
}
