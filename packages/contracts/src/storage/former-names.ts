import { MAX_RESERVED_NAMES, type NewUser, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOT_RESERVED, NOW, newUser, userName } from './fixtures.ts';

const UNTIL = NOW + 1000;
const RESERVED = { now: NOW, reservedUntil: UNTIL };

export function formerNamesContract(current: () => Storage): void {
  const users = () => current().users;
  const rename = (id: string, name: string, reservation = RESERVED) => users().rename(id, userName(name), reservation);
  const isTaken = (name: string, viewer: string | null = null, now = NOW) =>
    users().isTaken(userName(name), viewer, now);
  const add = (name: string, created = NOW) => users().add(newUser(name, { created }));
  const look = (name: string, skeleton: string, isPlain: boolean): NewUser => newUser(name, { skeleton, isPlain });

  it('are reserved for their former owner, who can take them back', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    expect(await rename(ann.id, 'Anna')).toBe(true);
    expect([await add('ANN'), await rename(bob.id, 'ann')]).toEqual([false, false]);
    expect([await isTaken('ann'), await isTaken('ann', bob.id), await isTaken('ann', ann.id)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await users().findByKey('ann')).toBeNull();
    expect(await rename(ann.id, 'ann')).toBe(true);
    // Now the other name is reserved.
    expect([await rename(bob.id, 'Anna'), await rename(ann.id, 'Anna')]).toEqual([false, true]);
  });

  it('are free from the end of the reservation on', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await rename(ann.id, 'Anna');
    expect([await isTaken('ann', null, UNTIL - 1), await isTaken('ann', null, UNTIL)]).toEqual([true, false]);
    expect([await add('Ann', UNTIL - 1), await add('Ann', UNTIL)]).toEqual([false, true]);
    expect(await rename(bob.id, 'Anne', { now: UNTIL, reservedUntil: UNTIL + 1000 })).toBe(true);
    // The name has another owner now, and gives up another reservation.
    const taken = (await users().findByKey('ann'))?.id ?? '';
    expect(await rename(taken, 'Other', { now: UNTIL, reservedUntil: UNTIL + 1000 })).toBe(true);
    expect(await rename(ann.id, 'Ann', { now: UNTIL, reservedUntil: UNTIL })).toBe(false);
  });

  it('are free at once without a reservation, and while only the spelling changes', async () => {
    const ann = await addUser(current(), 'Ann');
    expect([await rename(ann.id, 'ANN'), await rename(ann.id, 'Anna', NOT_RESERVED)]).toEqual([true, true]);
    expect([await isTaken('ann'), await add('Ann')]).toEqual([false, true]);
  });

  it('exclude names that look like them, unless both are plain', async () => {
    const ann = look('ann', 'look', true);
    await users().add(ann);
    await rename(ann.id, 'Anna');
    expect([await users().add(look('änn', 'look', false)), await users().add(look('anm', 'look', true))]).toEqual([
      false,
      true,
    ]);
    const other = look('öne', 'other look', false);
    await users().add(other);
    await rename(other.id, 'One more');
    expect(await users().isTaken(look('one', 'other look', true), null, NOW)).toBe(true);
    expect(await users().rename(ann.id, look('one', 'other look', true), RESERVED)).toBe(false);
    expect(await users().rename(other.id, look('one', 'other look', true), RESERVED)).toBe(true);
  });

  it('are only the last ones of a user, so that nobody reserves any number of names', async () => {
    const ann = await addUser(current(), 'ann0');
    for (let n = 1; n <= MAX_RESERVED_NAMES + 2; n++) {
      expect(await rename(ann.id, `ann${n}`, { now: NOW, reservedUntil: UNTIL + n })).toBe(true);
    }
    expect([await isTaken('ann0'), await isTaken('ann1')]).toEqual([false, false]);
    for (let n = 2; n < MAX_RESERVED_NAMES + 2; n++) expect(await isTaken(`ann${n}`)).toBe(true);
  });

  it('are not given to anybody who takes them while they are given up', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await addUser(current(), `ann${round}`);
      const movers = await Promise.all(Array.from({ length: 4 }, (_, i) => addUser(current(), `m${i}of${round}`)));
      const moved = await Promise.all([
        rename(ann.id, `anna${round}`),
        add(`ann${round}`),
        ...movers.map(({ id }) => rename(id, `ann${round}`)),
      ]);
      expect(moved).toEqual([true, false, false, false, false, false]);
    }
  });

  it('are removed when they expire, and with their user', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    for (const name of ['Anna', 'Anne', 'Annette']) await rename(ann.id, name);
    await rename(bob.id, 'Bobby');
    expect(await current().removeExpired(UNTIL - 1, 10)).toBe(0);
    await users().remove(bob.id);
    expect([await isTaken('bob'), await isTaken('ann')]).toEqual([false, true]);
    expect([await current().removeExpired(UNTIL, 2), await current().removeExpired(UNTIL, 2)]).toEqual([2, 1]);
    expect([await isTaken('ann'), await isTaken('anna')]).toEqual([false, false]);
  });

  it('are rolled back with their transaction', async () => {
    const ann = await addUser(current(), 'Ann');
    const work = current().transaction(async (stores) => {
      await stores.users.rename(ann.id, userName('Anna'), RESERVED);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect([await isTaken('anna'), await isTaken('ann', ann.id)]).toEqual([false, true]);
    expect(await current().removeExpired(UNTIL, 10)).toBe(0);
  });
}
