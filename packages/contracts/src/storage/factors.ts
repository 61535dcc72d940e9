import type { Challenge, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addFactor, addUser, NOW, token, uuid } from './fixtures.ts';

/** Returns the results of concurrent calls. */
const atOnce = <T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)));

const trueOnes = (results: readonly boolean[]) => results.filter(Boolean).length;

export function factorsContract(current: () => Storage): void {
  const factors = () => current().factors;
  const needsFactor = async (key: string) => (await current().users.credentials(key))?.hasSecondFactor;
  const codesLeft = async (userId: string) => (await factors().recoveryCodes(userId)).length;
  const confirmation = (userId: string) => ({ userId, sealed: 'sealed', step: 100, now: NOW, recoveryCodes: [] });

  it('are off until the secret is confirmed', async () => {
    const ann = await addUser(current(), 'Ann');
    expect(await factors().find(ann.id)).toBeNull();
    expect(await needsFactor('ann')).toBe(false);
    expect(await factors().prepare(ann.id, 'first')).toBe(true);
    expect(await factors().prepare(ann.id, 'sealed')).toBe(true);
    expect(await factors().find(ann.id)).toEqual({ sealed: 'sealed', confirmed: null });
    expect(await needsFactor('ann')).toBe(false);
    expect(await factors().useStep({ userId: ann.id, sealed: 'sealed', step: 1 })).toBe(false);
    expect(await factors().confirm({ ...confirmation(ann.id), sealed: 'first' })).toBe(false);
    expect(await factors().confirm({ ...confirmation(ann.id), recoveryCodes: ['a', 'b'] })).toBe(true);
    expect(await factors().find(ann.id)).toEqual({ sealed: 'sealed', confirmed: NOW });
    expect(await needsFactor('ann')).toBe(true);
    expect(await codesLeft(ann.id)).toBe(2);
  });

  it('are not replaced once they are on', async () => {
    const ann = await addUser(current(), 'Ann');
    await addFactor(current(), ann.id);
    expect(await factors().prepare(ann.id, 'other')).toBe(false);
    expect(await factors().confirm(confirmation(ann.id))).toBe(false);
    expect(await factors().find(ann.id)).toEqual({ sealed: 'sealed', confirmed: NOW });
  });

  it('are confirmed by exactly one of many concurrent calls', async () => {
    const ann = await addUser(current(), 'Ann');
    await factors().prepare(ann.id, 'sealed');
    const results = await atOnce(20, (i) => factors().confirm({ ...confirmation(ann.id), recoveryCodes: [`${i}`] }));
    expect(trueOnes(results)).toBe(1);
    expect(await codesLeft(ann.id)).toBe(1);
  });

  it('take each step once, and none before it', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    for (const { id } of [ann, bob]) await addFactor(current(), id);
    const use = (step: number, userId = ann.id) => factors().useStep({ userId, sealed: 'sealed', step });
    expect([await use(99), await use(100), await use(102), await use(101), await use(102), await use(103)]).toEqual([
      false, // before the one that confirmed
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(await factors().useStep({ userId: ann.id, sealed: 'former', step: 200 })).toBe(false);
    expect(await use(101, bob.id)).toBe(true);
    expect(await use(101, uuid())).toBe(false);
  });

  it('give a step, and a recovery code, to exactly one of 50 concurrent calls', async () => {
    const ann = await addUser(current(), 'Ann');
    await addFactor(current(), ann.id, ['a', 'b']);
    const steps = await atOnce(50, () => factors().useStep({ userId: ann.id, sealed: 'sealed', step: 101 }));
    expect(trueOnes(steps)).toBe(1);
    const codes = await atOnce(50, () => factors().useRecoveryCode(ann.id, 'a'));
    expect(trueOnes(codes)).toBe(1);
    expect(await codesLeft(ann.id)).toBe(1);
  });

  it('give a step to exactly one of many concurrent transactions, and give it back when that one fails', async () => {
    const ann = await addUser(current(), 'Ann');
    await addFactor(current(), ann.id);
    const use = { userId: ann.id, sealed: 'sealed', step: 101 };
    const failed = current().transaction(async (stores) => {
      expect(await stores.factors.useStep(use)).toBe(true);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    const results = await atOnce(20, () => current().transaction((stores) => stores.factors.useStep(use)));
    expect(trueOnes(results)).toBe(1);
  });

  it('keep recovery codes of different users apart', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await addFactor(current(), ann.id, ['a']);
    await addFactor(current(), bob.id, ['a', 'b']);
    expect(await factors().useRecoveryCode(ann.id, 'b')).toBe(false);
    expect(await factors().useRecoveryCode(ann.id, 'a')).toBe(true);
    expect(await codesLeft(bob.id)).toBe(2);
  });

  it('are removed with their recovery codes', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    for (const { id } of [ann, bob]) await addFactor(current(), id, ['a']);
    expect(await factors().remove(ann.id)).toBe(true);
    expect(await factors().remove(ann.id)).toBe(false);
    expect([await needsFactor('ann'), await needsFactor('bob')]).toEqual([false, true]);
    expect(await factors().find(ann.id)).toBeNull();
    expect([await codesLeft(ann.id), await codesLeft(bob.id)]).toEqual([0, 1]);
    expect(await factors().prepare(ann.id, 'new')).toBe(true);
    expect(await factors().remove(ann.id)).toBe(false); // not confirmed
    expect(await factors().find(ann.id)).toBeNull();
  });

  it('belong to an existing user, and go with them', async () => {
    await expect(factors().prepare(uuid(), 'sealed')).rejects.toMatchObject({ code: 'user.not_found' });
    const ann = await addUser(current(), 'Ann');
    await addFactor(current(), ann.id, ['a']);
    await current().users.remove(ann.id);
    expect(await factors().find(ann.id)).toBeNull();
    expect(await codesLeft(ann.id)).toBe(0);
  });
}

export function challengesContract(current: () => Storage): void {
  const challenges = () => current().challenges;
  const MOST = 5;

  async function addChallenge(overrides: Partial<Challenge> = {}): Promise<Challenge> {
    const userId = overrides.userId ?? (await addUser(current(), `User ${token()}`)).id;
    const challenge = { digest: token(), userId, sealed: 'sealed 😀', expires: NOW + 1000, ...overrides };
    await challenges().add(challenge);
    return challenge;
  }

  it('are found until they expire', async () => {
    const challenge = await addChallenge();
    expect(await challenges().attempt(challenge.digest, NOW + 999, MOST)).toEqual(challenge);
    expect(await challenges().attempt(challenge.digest, NOW + 1000, MOST)).toBeNull();
    expect(await challenges().attempt(token(), NOW, MOST)).toBeNull();
  });

  it('allow exactly as many attempts as they may, even when 50 come at once', async () => {
    const [one, other] = [await addChallenge(), await addChallenge()];
    const found = await atOnce(50, () => challenges().attempt(one.digest, NOW, MOST));
    expect(found.filter((challenge) => challenge !== null)).toHaveLength(MOST);
    expect(await challenges().attempt(one.digest, NOW, MOST)).toBeNull();
    expect(await challenges().attempt(other.digest, NOW, MOST)).toEqual(other);
  });

  it('are consumed by exactly one of 50 concurrent calls', async () => {
    const { digest } = await addChallenge();
    expect(trueOnes(await atOnce(50, () => challenges().consume(digest)))).toBe(1);
    expect(await challenges().attempt(digest, NOW, MOST)).toBeNull();
  });

  it('are spent by exactly one of 50 concurrent calls, though they were not stored before', async () => {
    const userId = (await addUser(current(), 'Ann')).id;
    const spent = { digest: token(), userId, expires: NOW + 1000 };
    expect(trueOnes(await atOnce(50, () => challenges().spend(spent)))).toBe(1);
    const inTransactions = await atOnce(20, () => current().transaction((stores) => stores.challenges.spend(spent)));
    expect(trueOnes(inTransactions)).toBe(0);
    expect(await challenges().spend({ ...spent, digest: token() })).toBe(true);
    expect(await current().removeExpired(NOW + 999, 10)).toBe(0);
    expect(await current().removeExpired(NOW + 1000, 10)).toBe(2);
    expect(await challenges().spend(spent)).toBe(true);
  });

  it('are not spent by a transaction that fails', async () => {
    const userId = (await addUser(current(), 'Ann')).id;
    const spent = { digest: token(), userId, expires: NOW + 1000 };
    const failed = current().transaction(async (stores) => {
      expect(await stores.challenges.spend(spent)).toBe(true);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await challenges().spend(spent)).toBe(true);
  });

  it('are removed when they have expired, in batches', async () => {
    for (let i = 0; i < 3; i++) await addChallenge({ expires: NOW - i });
    const live = await addChallenge();
    expect([await current().removeExpired(NOW, 2), await current().removeExpired(NOW, 2)]).toEqual([2, 1]);
    expect(await current().removeExpired(NOW, 2)).toBe(0);
    expect(await challenges().attempt(live.digest, NOW, MOST)).toEqual(live);
  });

  it('belong to an existing user, and go with them', async () => {
    await expect(addChallenge({ userId: uuid() })).rejects.toMatchObject({ code: 'user.not_found' });
    const spent = { digest: token(), userId: uuid(), expires: NOW };
    await expect(challenges().spend(spent)).rejects.toMatchObject({ code: 'user.not_found' });
    const { digest, userId } = await addChallenge();
    await current().users.remove(userId);
    expect(await challenges().attempt(digest, NOW, MOST)).toBeNull();
  });
}
