import type { Storage, WaitingMail } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, token, uuid } from './fixtures.ts';

const LEASE = 100;

export function mailsContract(current: () => Storage): void {
  const mails = () => current().mails;
  const claim = (now = NOW, limit = 10) => mails().claim({ now, until: now + LEASE, limit });
  const idsOf = (found: ReadonlyArray<{ readonly id: string }>) => found.map(({ id }) => id);

  async function newMail(overrides: Partial<WaitingMail> = {}): Promise<WaitingMail> {
    const userId = overrides.userId ?? (await addUser(current(), `User ${token()}`)).id;
    const mail = { id: uuid(), topic: token(), sealed: 'sealed 😀', created: NOW, expires: NOW + 1000 };
    return { ...mail, userId, ...overrides };
  }

  async function addMail(overrides: Partial<WaitingMail> = {}): Promise<WaitingMail> {
    const mail = await newMail(overrides);
    await mails().add(mail);
    return mail;
  }

  it('are claimed once they are due, and again when the lease has ended', async () => {
    const mail = await addMail();
    expect(await claim(NOW - 1)).toEqual([]);
    expect(await claim()).toEqual([{ ...mail, attempt: 1 }]);
    expect(await claim(NOW + LEASE - 1)).toEqual([]);
    expect(await claim(NOW + LEASE)).toEqual([{ ...mail, attempt: 2 }]);
  });

  it('are claimed by exactly one of 50 concurrent calls', async () => {
    for (let i = 0; i < 5; i++) await addMail();
    const claimed = await Promise.all(Array.from({ length: 50 }, () => claim(NOW, 1)));
    expect(new Set(idsOf(claimed.flat())).size).toBe(5);
    expect(claimed.flat()).toHaveLength(5);
  });

  it('are claimed in the order in which they are due, as many as wanted', async () => {
    const [late, early, middle] = [
      await addMail({ created: NOW + 2 }),
      await addMail({ created: NOW }),
      await addMail({ created: NOW + 1 }),
    ];
    expect(idsOf(await claim(NOW + 5, 2)).toSorted()).toEqual([early.id, middle.id].toSorted());
    expect(idsOf(await claim(NOW + 5, 2))).toEqual([late.id]);
  });

  it('belong to whoever stores them as claimed, until the lease ends', async () => {
    const mail = await newMail();
    expect(await mails().addClaimed(mail, NOW + LEASE)).toEqual({ ...mail, attempt: 1 });
    expect(await claim()).toEqual([]);
    expect(await mails().nextDue()).toBe(NOW + LEASE);
    expect(await claim(NOW + LEASE)).toEqual([{ ...mail, attempt: 2 }]);
  });

  it('are postponed by the attempt that counts only', async () => {
    const { id } = await addMail();
    await claim();
    expect(await mails().postpone({ id, attempt: 1 }, NOW + 10)).toBe(true);
    expect(await claim(NOW + 9)).toEqual([]);
    expect(await claim(NOW + 10)).toMatchObject([{ id, attempt: 2 }]);
    expect(await mails().postpone({ id, attempt: 1 }, NOW + 10)).toBe(false);
    expect(await claim(NOW + 11)).toEqual([]);
    expect(await mails().postpone({ id: uuid(), attempt: 1 }, NOW)).toBe(false);
  });

  it('are gone when they have been removed', async () => {
    const [{ id }, other] = [await addMail(), await addMail()];
    expect([await mails().remove(id), await mails().remove(id)]).toEqual([true, false]);
    expect(idsOf(await claim())).toEqual([other.id]);
  });

  it('say when the next one is due', async () => {
    expect(await mails().nextDue()).toBeNull();
    await addMail({ created: NOW + 7 });
    const { id } = await addMail({ created: NOW + 5 });
    expect(await mails().nextDue()).toBe(NOW + 5);
    await mails().remove(id);
    expect(await mails().nextDue()).toBe(NOW + 7);
  });

  it('replace a waiting one of the same topic, whose attempt in progress no longer counts', async () => {
    const former = await addMail({ topic: 'reset' });
    await claim();
    const mail = await addMail({ topic: 'reset', userId: former.userId });
    expect(await mails().postpone({ id: former.id, attempt: 1 }, NOW + 500)).toBe(false);
    expect(await mails().remove(former.id)).toBe(false);
    expect(await claim()).toEqual([{ ...mail, attempt: 1 }]);
    expect(await claim(NOW + LEASE - 1)).toEqual([]);
  });

  it('leave one of many that are stored for the same topic at once', async () => {
    const { id: userId } = await addUser(current(), 'Ann');
    await Promise.all(Array.from({ length: 20 }, () => addMail({ topic: 'reset', userId })));
    expect(await claim()).toHaveLength(1);
  });

  it('are stored with the transaction that causes them, or not at all', async () => {
    const mail = await newMail();
    const failed = current().transaction(async (stores) => {
      await stores.mails.add(mail);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await claim()).toEqual([]);
    await current().transaction((stores) => stores.mails.add(mail));
    expect(idsOf(await claim())).toEqual([mail.id]);
  });

  it('belong to an existing user, and go with them', async () => {
    await expect(addMail({ userId: uuid() })).rejects.toMatchObject({ code: 'user.not_found' });
    const { userId } = await addMail();
    const other = await addMail();
    await current().users.remove(userId);
    expect(idsOf(await claim())).toEqual([other.id]);
  });
}
