import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, uuid } from './fixtures.ts';

export function erasuresContract(current: () => Storage): void {
  const due = (now: number, limit = 100) => current().users.dueErasures(now, limit);
  const erase = (id: string, eraseAt: number) => current().users.update(id, { status: 'ERASING', eraseAt });
  const removeDue = (id: string, now: number) =>
    current().transaction(async ({ users }) => (await users.lockDueErasure(id, now)) && users.remove(id));

  it('names the users whose time has come, the earliest first, up to the limit', async () => {
    const [ann, bob, eve] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Eve'),
    ];
    expect((await erase(ann.id, NOW + 2))?.status).toBe('ERASING');
    await erase(bob.id, NOW + 1);
    await erase(eve.id, NOW + 3);
    expect(await due(NOW)).toEqual([]);
    expect(await due(NOW + 2)).toEqual([bob.id, ann.id]);
    expect(await due(NOW + 9, 1)).toEqual([bob.id]);
    expect((await current().users.credentials('bob'))?.status).toBe('ERASING');
  });

  it('keeps the time while the user is suspended, and clears it when they are active again', async () => {
    const ann = await addUser(current(), 'Ann');
    await erase(ann.id, NOW);
    await current().users.update(ann.id, { status: 'SUSPENDED' });
    await current().users.update(ann.id, { passwordHash: 'other' });
    expect(await due(NOW)).toEqual([ann.id]);
    await current().users.update(ann.id, { status: 'ACTIVE' });
    expect(await due(NOW)).toEqual([]);
    expect(await removeDue(ann.id, NOW)).toBe(false);
  });

  it('removes a user whose time has come, and nobody else', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await erase(ann.id, NOW + 1);
    expect([await removeDue(ann.id, NOW), await removeDue(bob.id, NOW), await removeDue(uuid(), NOW)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await removeDue(ann.id, NOW + 1)).toBe(true);
    expect([await current().users.find(ann.id), (await current().users.find(bob.id))?.id]).toEqual([null, bob.id]);
  });

  it('is over once a removal has begun', async () => {
    const ann = await addUser(current(), 'Ann');
    await erase(ann.id, NOW);
    await current().users.remove(ann.id);
    expect(await due(NOW)).toEqual([]);
  });

  it('either takes a deletion back or removes the user, whatever comes at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await addUser(current(), `Ann${round}`);
      await erase(id, NOW);
      const cancel = () => current().transaction(({ users }) => users.update(id, { status: 'ACTIVE' }));
      const remove = () => removeDue(id, NOW);
      const [kept, removed] =
        round % 2 === 0
          ? await Promise.all([cancel(), remove()])
          : (await Promise.all([remove(), cancel()] as const)).toReversed();
      expect(kept !== null).not.toBe(removed);
      expect((await current().users.find(id)) !== null).toBe(kept !== null);
    }
  });
}
