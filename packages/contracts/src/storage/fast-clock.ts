import { LONGEST_LINK_MS, LONGEST_WAITS, type PushMessage, type Storage, TIME_TOLERANCE_MS } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, newSession, token, uuid } from './fixtures.ts';
import { change, ids, webhookFixtures } from './webhook-fixtures.ts';

const DAY = 24 * 60 * 60_000;
/** Time of a clock that is fast. */
const FAST = NOW + 40 * DAY;
const SECOND = 1_000;

export function fastClockContract(current: () => Storage): void {
  const { webhooks, due, added, advance } = webhookFixtures(current);
  const correct = () => current().correctTimes(NOW, NOW);

  it('can have postponed jobs, which are claimed nevertheless', async () => {
    const claim = (holder: string, now: number, latest?: number) =>
      current().jobs.claim({ name: 'sweep', holder }, now, now + SECOND, latest);
    expect(await claim('a', FAST)).toBe(true);
    expect(await claim('b', NOW)).toBe(false);
    expect(await claim('b', NOW, FAST + SECOND)).toBe(false);
    expect(await claim('b', NOW, FAST + SECOND - 1)).toBe(true);
    expect(await current().jobs.due('sweep')).toBe(NOW + SECOND);
  });

  it('can have filled rate limits, which end', async () => {
    const take = (now: number) => current().rateLimits.take('key', now, { times: 1, window: SECOND });
    expect(await take(NOW + TIME_TOLERANCE_MS)).toMatchObject({ taken: true });
    expect(await take(NOW)).toEqual({ taken: false, count: 1, ends: NOW + TIME_TOLERANCE_MS + SECOND });
    expect(await take(FAST)).toMatchObject({ taken: true });
    expect(await take(NOW)).toEqual({ taken: true, count: 1, ends: NOW + SECOND });
    expect(await take(NOW)).toEqual({ taken: false, count: 1, ends: NOW + SECOND });
  });

  it('can have locked accounts, which are unlocked', async () => {
    const announce = (now: number) => current().lockouts.announce('key', now, { times: 1, window: SECOND });
    expect([await announce(FAST), await announce(FAST)]).toMatchObject([{ isAllowed: true }, { isAllowed: false }]);
    expect(await announce(NOW)).toEqual({ isAllowed: true, place: 1, count: 1, ends: NOW + SECOND });
    expect(await announce(NOW)).toMatchObject({ isAllowed: false, ends: NOW + SECOND });
  });

  it('can have postponed mails, which are due', async () => {
    const { id: userId } = await addUser(current(), 'Ann');
    const add = async (until: number) => {
      const mail = { id: uuid(), userId, topic: token(), sealed: 'sealed', created: NOW, expires: FAST };
      return (await current().mails.addClaimed(mail, until)).id;
    };
    await add(NOW + LONGEST_WAITS.mail);
    const postponed = await add(FAST);
    expect(await correct()).toBe(1);
    const claimed = await current().mails.claim({ now: NOW, until: NOW + SECOND, limit: 10 });
    expect(ids(claimed)).toEqual([postponed]);
    expect(await correct()).toBe(0);
  });

  it('can have postponed push messages, which are due', async () => {
    const { id: userId } = await addUser(current(), 'Ann');
    await current().devices.register({ id: 'phone', userId, os: 'android', registered: NOW });
    const message: PushMessage = { id: uuid(), senderId: userId, payload: '{}', created: FAST, expires: FAST + DAY };
    await current().outbox.add(message, { userIds: [userId], platforms: ['android'] });
    const claim = () => current().outbox.claim({ os: 'android', now: NOW, until: NOW + SECOND, limit: 10 });
    expect(await claim()).toEqual([]);
    expect(await correct()).toBe(1);
    expect(await claim()).toMatchObject([{ messageId: message.id }]);
  });

  it('can have postponed deliveries of webhooks, and extended their leases', async () => {
    const webhook = await added();
    const claim = (holder: string, now: number) => webhooks().claim(holder, now, now + SECOND);
    expect(await claim('a', FAST)).toHaveLength(1);
    const delivery = change({ created: FAST });
    await advance(webhook, [delivery]);
    expect([await claim('b', NOW), await due(webhook.id)]).toEqual([[], []]);
    expect(await correct()).toBe(2);
    expect(await claim('b', NOW)).toHaveLength(1);
    expect(ids(await due(webhook.id))).toEqual([delivery.id]);
  });

  it('can have begun sessions, which do not last longer', async () => {
    const { id } = await addUser(current(), 'Ann');
    const [wrong, right] = [
      newSession(id, { created: FAST, lastUsed: FAST }),
      newSession(id, { lastUsed: NOW + TIME_TOLERANCE_MS }),
    ];
    for (const session of [wrong, right]) await current().sessions.add(session);
    expect(await correct()).toBe(1);
    expect((await current().sessions.find(wrong.id))?.session).toEqual({ ...wrong, created: NOW, lastUsed: NOW });
    expect(await current().sessions.loggedIn(wrong.id)).toBe(NOW);
    expect((await current().sessions.find(right.id))?.session).toEqual(right);
  });

  it('can have seen guests, who do not stay longer', async () => {
    const { id } = await addUser(current(), 'Guest', { guest: true, passwordHash: null, created: FAST });
    expect(await current().users.absentGuests(NOW + 1, 10)).toEqual([]);
    expect(await correct()).toBe(1);
    expect(await current().users.absentGuests(NOW + 1, 10)).toEqual([id]);
  });

  it('can have sent links, which do not work longer', async () => {
    const { id: userId } = await addUser(current(), 'Ann');
    const [digest, code] = [token(), token()];
    await current().resetTokens.put({ digest, userId, expires: FAST });
    await current().emails.claim({ userId, email: 'ann@example.com', code, token: token(), expires: FAST });
    expect(await correct()).toBe(2);
    const end = NOW + LONGEST_LINK_MS;
    const find = (now: number) => current().resetTokens.find(digest, now);
    expect([await find(end - 1), await find(end)]).toEqual([userId, null]);
    const attempt = (now: number) => current().emails.attempt(userId, now, 5);
    expect([await attempt(end), await attempt(end - 1)]).toMatchObject([null, { userId }]);
  });

  it('is told from a slow one', async () => {
    const { id } = await addUser(current(), 'Guest', { guest: true, passwordHash: null });
    const session = newSession(id);
    await current().sessions.add(session);
    expect(await current().correctTimes(NOW - 40 * DAY, NOW)).toBe(0);
    expect((await current().sessions.find(session.id))?.session).toEqual(session);
  });
}
