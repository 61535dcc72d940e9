import type { EmailClaim, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, token, uuid } from './fixtures.ts';

const MOST = 5;

const atOnce = <T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)));

export function emailsContract(current: () => Storage): void {
  const emails = () => current().emails;
  const isVerified = async (id: string) => (await current().users.find(id))?.emailVerified;
  const verify = (userId: string, key = 'ann@example.com') =>
    current().transaction(async (stores) => {
      await stores.users.update(userId, {});
      return stores.emails.verify(userId, key, NOW);
    });

  async function addClaim(overrides: Partial<EmailClaim> = {}): Promise<EmailClaim> {
    const userId = overrides.userId ?? (await addUser(current(), `User ${token()}`)).id;
    const claim = { email: 'Ann@example.com', code: token(), token: token(), expires: NOW + 1000 };
    await emails().claim({ ...claim, userId, ...overrides });
    return { ...claim, userId, ...overrides };
  }

  it('are claimed until the claim expires', async () => {
    const claim = await addClaim();
    expect(await emails().attempt(claim.userId, NOW + 999, MOST)).toEqual(claim);
    expect(await emails().find(claim.token, NOW + 999)).toEqual(claim);
    expect(await emails().attempt(claim.userId, NOW + 1000, MOST)).toBeNull();
    expect(await emails().find(claim.token, NOW + 1000)).toBeNull();
    expect(await emails().consume(claim.token, NOW + 1000)).toBe(false);
    expect(await emails().attempt(uuid(), NOW, MOST)).toBeNull();
  });

  it('allow exactly as many attempts as they may, even when 50 come at once, and a new claim allows new ones', async () => {
    const { userId } = await addClaim();
    const found = await atOnce(50, () => emails().attempt(userId, NOW, MOST));
    expect(found.filter((claim) => claim !== null)).toHaveLength(MOST);
    const newer = await addClaim({ userId });
    expect(await emails().attempt(userId, NOW, MOST)).toEqual(newer);
  });

  it('leave one claim for each user, the newest', async () => {
    const older = await addClaim();
    const newer = await addClaim({ userId: older.userId, email: 'other@example.com' });
    expect(await emails().find(older.token, NOW)).toBeNull();
    expect(await emails().find(newer.token, NOW)).toEqual(newer);
  });

  it('are consumed by exactly one of 50 concurrent calls', async () => {
    const claim = await addClaim();
    const results = await atOnce(50, () => emails().consume(claim.token, NOW));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await emails().attempt(claim.userId, NOW, MOST)).toBeNull();
  });

  it('belong to one user once they are verified', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    expect(await isVerified(ann.id)).toBe(false);
    expect([await verify(ann.id), await verify(bob.id), await verify(ann.id)]).toEqual([true, false, true]);
    expect([await isVerified(ann.id), await isVerified(bob.id)]).toEqual([true, false]);
    expect(await emails().ownerOf('ann@example.com')).toBe(ann.id);
    expect(await emails().ownerOf('bob@example.com')).toBeNull();
  });

  it('go to exactly one of 20 users who verify the same at once', async () => {
    const users = await atOnce(20, (i) => addUser(current(), `User ${i}`));
    const results = await Promise.all(users.map(({ id }) => verify(id)));
    expect(results.filter(Boolean)).toHaveLength(1);
    const verified = await Promise.all(users.map(({ id }) => isVerified(id)));
    expect(verified).toEqual(results);
  });

  it('replace the former one of the user, which others can then verify', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await verify(ann.id);
    expect(await verify(ann.id, 'new@example.com')).toBe(true);
    expect(await emails().ownerOf('ann@example.com')).toBeNull();
    expect(await verify(bob.id)).toBe(true);
  });

  it('are released', async () => {
    const ann = await addUser(current(), 'Ann');
    await verify(ann.id);
    await emails().release(ann.id, 1_000);
    expect(await isVerified(ann.id)).toBe(false);
    expect(await emails().ownerOf('ann@example.com')).toBeNull();
    await emails().release(ann.id, 1_000);
  });

  it('say when the address of a user was replaced last, verified or not', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    expect(await emails().changed(ann.id)).toBeNull();
    await emails().release(ann.id, 1_000);
    expect(await emails().changed(ann.id)).toBe(1_000);
    await verify(ann.id);
    await emails().release(ann.id, 2_000);
    expect([await emails().changed(ann.id), await emails().changed(bob.id)]).toEqual([2_000, null]);
    expect(await emails().changed(uuid())).toBeNull();
    expect(await current().users.find(ann.id)).not.toHaveProperty('emailChanged');
  });

  it('are no longer claimed once the claim is withdrawn', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const claims = [await addClaim({ userId: ann.id }), await addClaim({ userId: bob.id, token: 'token of Bob' })];
    await emails().withdraw(ann.id);
    await emails().withdraw(ann.id);
    const found = await Promise.all(claims.map(({ token }) => emails().find(token, 0)));
    expect(found).toEqual([null, claims[1]]);
  });

  it('lead to the credentials of their owner, where no user has that name', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'bob@example.com')];
    await verify(ann.id, 'bob@example.com');
    const idOf = async (key: string, emailKey?: string | null) =>
      (await current().users.credentials(key, emailKey))?.id ?? null;
    expect(await idOf('nobody', 'bob@example.com')).toBe(ann.id);
    expect(await idOf('bob@example.com', 'bob@example.com')).toBe(bob.id);
    expect(await idOf('ann', 'bob@example.com')).toBe(ann.id);
    expect([await idOf('nobody', 'other@example.com'), await idOf('nobody', null)]).toEqual([null, null]);
    expect(await current().users.credentials('nobody', 'bob@example.com')).toEqual(
      await current().users.credentials('ann'),
    );
    await emails().release(ann.id, 1_000);
    expect(await idOf('nobody', 'bob@example.com')).toBeNull();
  });

  it('are awaited from a user until one is verified, or an administrator waives it', async () => {
    const [ann, bob] = [
      await addUser(current(), 'Ann', { awaitsEmail: true }),
      await addUser(current(), 'Bob', { awaitsEmail: true }),
    ];
    const awaits = async (key: string) => (await current().users.credentials(key))?.awaitsEmail;
    await addClaim({ userId: ann.id });
    await current().users.update(ann.id, { status: 'ACTIVE' });
    await emails().release(ann.id, 1_000);
    expect([await awaits('ann'), await awaits('bob')]).toEqual([true, true]);
    expect([await verify(ann.id), await verify(bob.id)]).toEqual([true, false]);
    expect([await awaits('ann'), await awaits('bob')]).toEqual([false, true]);
    await emails().waive(bob.id);
    expect([await awaits('bob'), await isVerified(bob.id)]).toEqual([false, false]);
    await emails().release(ann.id, 1_000);
    expect(await awaits('ann')).toBe(false);
    await emails().waive(uuid());
  });

  it('are removed when the claim has expired, in batches', async () => {
    for (let i = 0; i < 3; i++) await addClaim({ expires: NOW - i });
    const live = await addClaim();
    expect([await current().removeExpired(NOW, 2), await current().removeExpired(NOW, 2)]).toEqual([2, 1]);
    expect(await emails().find(live.token, NOW)).toEqual(live);
  });

  it('belong to an existing user, and go with them', async () => {
    await expect(addClaim({ userId: uuid() })).rejects.toMatchObject({ code: 'user.not_found' });
    const claim = await addClaim();
    await verify(claim.userId);
    await current().users.remove(claim.userId);
    expect(await emails().find(claim.token, NOW)).toBeNull();
    expect(await emails().ownerOf('ann@example.com')).toBeNull();
  });
}
