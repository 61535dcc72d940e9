import type { KeyClaim, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const DAY = 86_400_000;

const claimOf = (userId: string, digest: string, overrides: Partial<KeyClaim> = {}): KeyClaim => ({
  userId,
  digest,
  fingerprint: 'POST',
  now: NOW,
  expires: NOW + DAY,
  ...overrides,
});

export function idempotencyContract(current: () => Storage): void {
  const claim = (one: KeyClaim) => current().transaction(({ idempotency }) => idempotency.claim(one));

  it('are free at first and then return the stored answer, separately for each user', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await current().transaction(async ({ idempotency }) => {
      expect(await idempotency.claim(claimOf(ann.id, 'd'))).toBeNull();
      await idempotency.keep({ userId: ann.id, digest: 'd' }, { failure: null, data: '{"é":"😀"}' });
    });
    const kept = { fingerprint: 'POST', failure: null, data: '{"é":"😀"}' };
    expect(await claim(claimOf(ann.id, 'd', { fingerprint: 'other' }))).toEqual(kept);
    expect(await claim(claimOf(ann.id, 'd'))).toEqual(kept);
    expect(await claim(claimOf(ann.id, 'e'))).toBeNull();
    expect(await claim(claimOf(bob.id, 'd'))).toBeNull();
  });

  it('are found without being claimed, as long as they live', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const find = (userId: string, now = NOW) => current().idempotency.find({ userId, digest: 'd' }, now);
    expect(await find(ann.id)).toBeNull();
    expect(await claim(claimOf(ann.id, 'd'))).toBeNull();
    const kept = { fingerprint: 'POST', failure: null, data: null };
    expect([await find(ann.id), await find(ann.id, NOW + DAY - 1)]).toEqual([kept, kept]);
    expect([await find(ann.id, NOW + DAY), await find(bob.id)]).toEqual([null, null]);
    expect(await claim(claimOf(bob.id, 'd'))).toBeNull();
  });

  it('store failures too', async () => {
    const ann = await addUser(current(), 'Ann');
    await claim(claimOf(ann.id, 'd'));
    await current().idempotency.keep({ userId: ann.id, digest: 'd' }, { failure: 'why', data: null });
    expect(await claim(claimOf(ann.id, 'd'))).toEqual({ fingerprint: 'POST', failure: 'why', data: null });
  });

  it('are free again after a rollback, and after they have expired', async () => {
    const ann = await addUser(current(), 'Ann');
    const failure = new Error('no');
    const attempt = current().transaction(async ({ idempotency }) => {
      await idempotency.claim(claimOf(ann.id, 'd'));
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await claim(claimOf(ann.id, 'd'))).toBeNull();
    await current().idempotency.keep({ userId: ann.id, digest: 'd' }, { failure: null, data: '1' });
    expect(await claim(claimOf(ann.id, 'd', { now: NOW + DAY - 1 }))).toMatchObject({ data: '1' });
    const later = { now: NOW + DAY, expires: NOW + 2 * DAY, fingerprint: 'PUT' };
    expect(await claim(claimOf(ann.id, 'd', later))).toBeNull();
    expect(await claim(claimOf(ann.id, 'd', later))).toEqual({ fingerprint: 'PUT', failure: null, data: null });
  });

  it('are free again when the transaction that claimed them releases them', async () => {
    const ann = await addUser(current(), 'Ann');
    await current().transaction(async ({ idempotency }) => {
      await idempotency.claim(claimOf(ann.id, 'd'));
      await idempotency.claim(claimOf(ann.id, 'e'));
      await idempotency.release({ userId: ann.id, digest: 'd' });
    });
    expect(await claim(claimOf(ann.id, 'd'))).toBeNull();
    expect(await claim(claimOf(ann.id, 'e'))).not.toBeNull();
  });

  it('are claimed by one of many concurrent transactions, and the others get its stored answer', async () => {
    const ann = await addUser(current(), 'Ann');
    const attempts = Array.from({ length: 20 }, (_, n) =>
      current().transaction(async ({ idempotency }) => {
        const kept = await idempotency.claim(claimOf(ann.id, 'd'));
        if (kept !== null) return kept.data;
        await idempotency.keep({ userId: ann.id, digest: 'd' }, { failure: null, data: String(n) });
        return 'mine';
      }),
    );
    const results = await Promise.all(attempts);
    expect(results.filter((data) => data === 'mine')).toHaveLength(1);
    const winner = String(results.indexOf('mine'));
    expect(results.filter((data) => data === winner)).toHaveLength(19);
  });

  it('need an existing user, and are removed with the user', async () => {
    await expect(claim(claimOf(uuid(), 'd'))).rejects.toMatchObject({ code: 'user.not_found' });
    const ann = await addUser(current(), 'Ann');
    await claim(claimOf(ann.id, 'd'));
    await current().users.remove(ann.id);
    await finishRemovals(current(), 100);
    expect(await current().removeExpired(NOW + 2 * DAY, 10)).toBe(0);
  });

  it('are removed in batches after they have expired', async () => {
    const ann = await addUser(current(), 'Ann');
    for (const [i, digest] of ['a', 'b', 'c'].entries()) await claim(claimOf(ann.id, digest, { expires: NOW + i }));
    expect(await current().removeExpired(NOW + 1, 1)).toBe(1);
    expect(await current().removeExpired(NOW + 1, 10)).toBe(1);
    expect(await current().removeExpired(NOW + 1, 10)).toBe(0);
    expect(await claim(claimOf(ann.id, 'c'))).not.toBeNull();
  });
}
