import type { NewPasskey, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, token, uuid } from './fixtures.ts';

const AT_ONCE = 50;

export function passkeysContract(current: () => Storage): void {
  const passkeys = () => current().passkeys;

  const newPasskey = (userId: string, overrides: Partial<NewPasskey> = {}): NewPasskey => ({
    id: uuid(),
    userId,
    credential: token(),
    publicKey: 'key',
    counter: 0,
    transports: ['internal', 'hybrid'],
    name: 'Zoë’s phone 😀',
    created: NOW,
    ...overrides,
  });

  async function addPasskey(userId: string, overrides: Partial<NewPasskey> = {}): Promise<NewPasskey> {
    const passkey = newPasskey(userId, overrides);
    expect(await passkeys().add(passkey)).toBe(true);
    return passkey;
  }

  const countTrue = async (call: () => Promise<boolean>) =>
    (await Promise.all(Array.from({ length: AT_ONCE }, call))).filter(Boolean).length;

  it('are found by their credential, and listed oldest first', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const second = await addPasskey(ann.id, { created: NOW + 1, transports: [], counter: 4_294_967_295 });
    const first = await addPasskey(ann.id, { credential: 'x'.repeat(1364), publicKey: 'k'.repeat(2731) });
    const other = await addPasskey(bob.id);
    expect(await passkeys().find(second.credential)).toEqual({ ...second, lastUsed: null });
    expect(await passkeys().find(second.credential.toLowerCase().concat('x'))).toBeNull();
    expect(await passkeys().list(ann.id)).toEqual([first, second].map((passkey) => ({ ...passkey, lastUsed: null })));
    expect(await passkeys().list(bob.id)).toEqual([{ ...other, lastUsed: null }]);
    expect(await passkeys().list(uuid())).toEqual([]);
  });

  it('have a credential that nobody else has', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const { credential, ...first } = await addPasskey(ann.id);
    for (const { id } of [ann, bob]) expect(await passkeys().add(newPasskey(id, { credential }))).toBe(false);
    expect(await passkeys().find(credential)).toMatchObject(first);
    const wanted = token();
    expect(await countTrue(() => passkeys().add(newPasskey(bob.id, { credential: wanted })))).toBe(1);
  });

  it('take only counters that are greater than the last', async () => {
    const { id, credential } = await addPasskey((await addUser(current(), 'Ann')).id, { counter: 5 });
    const use = (counter: number, at = NOW + counter) => passkeys().use({ id, counter, at });
    expect([await use(5), await use(4), await use(0), await use(7), await use(6), await use(7), await use(8)]).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(await passkeys().find(credential)).toMatchObject({ counter: 8, lastUsed: NOW + 8 });
    expect(await use(9, NOW)).toBe(true); // the clock of another node
    expect(await passkeys().find(credential)).toMatchObject({ counter: 9, lastUsed: NOW + 8 });
    expect(await passkeys().use({ id: uuid(), counter: 10, at: NOW })).toBe(false);
  });

  it('may not count at all', async () => {
    const { id } = await addPasskey((await addUser(current(), 'Ann')).id);
    const use = (counter: number) => passkeys().use({ id, counter, at: NOW });
    expect([await use(0), await use(0), await use(1), await use(0)]).toEqual([true, true, true, false]);
  });

  it('give a counter to exactly one of 50 concurrent calls', async () => {
    const { id } = await addPasskey((await addUser(current(), 'Ann')).id);
    expect(await countTrue(() => passkeys().use({ id, counter: 1, at: NOW }))).toBe(1);
    const inTransaction = () => current().transaction((stores) => stores.passkeys.use({ id, counter: 2, at: NOW }));
    expect(await countTrue(inTransaction)).toBe(1);
  });

  it('are renamed and removed by their user', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const { id, credential } = await addPasskey(ann.id);
    const kept = await addPasskey(ann.id);
    expect([await passkeys().rename(bob.id, id, 'x'), await passkeys().remove(bob.id, id)]).toEqual([false, false]);
    expect(await passkeys().rename(ann.id, id, 'Key')).toBe(true);
    expect(await passkeys().find(credential)).toMatchObject({ name: 'Key' });
    expect([await passkeys().remove(ann.id, id), await passkeys().remove(ann.id, id)]).toEqual([true, false]);
    expect(await passkeys().rename(ann.id, id, 'x')).toBe(false);
    expect((await passkeys().list(ann.id)).map((passkey) => passkey.id)).toEqual([kept.id]);
    expect(await passkeys().add(newPasskey(bob.id, { credential }))).toBe(true);
  });

  it('are removed together', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    for (const { id } of [ann, ann, bob]) await addPasskey(id);
    expect([await passkeys().removeOfUser(ann.id), await passkeys().removeOfUser(ann.id)]).toEqual([2, 0]);
    expect(await passkeys().list(bob.id)).toHaveLength(1);
  });

  it('belong to an existing user, and go with them', async () => {
    await expect(passkeys().add(newPasskey(uuid()))).rejects.toMatchObject({ code: 'user.not_found' });
    const ann = await addUser(current(), 'Ann');
    const { credential } = await addPasskey(ann.id);
    await current().users.remove(ann.id);
    expect(await passkeys().find(credential)).toBeNull();
  });
}
