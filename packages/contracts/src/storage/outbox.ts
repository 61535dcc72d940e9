import type { ClaimedDelivery, Device, NewUser, Platform, PushMessage, Settlement, Storage } from '@baobab/core';
import { KEPT_MESSAGES_MS } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { addUser, NOW, newSession, uuid } from './fixtures.ts';

const BOTH: readonly Platform[] = ['android', 'ios'];
const LEASE = 1_000;

function newMessage(overrides: Partial<PushMessage> = {}): PushMessage {
  return {
    id: uuid(),
    senderId: uuid(),
    payload: '{"message":"Zoë"}',
    created: NOW,
    expires: NOW + 60_000,
    ...overrides,
  };
}

const settled = ({ messageId, device, attempt }: ClaimedDelivery) => ({ messageId, device, attempt, reason: null });

export function outboxContract(current: () => Storage): void {
  const outbox = () => current().outbox;
  const devices = () => current().devices;
  const register = (userId: string, id: string, os: Platform = 'android', registered = NOW) =>
    devices().register({ id, userId, os, registered } satisfies Device);
  const claim = (now = NOW, limit = 100, os: Platform = 'android') =>
    outbox().claim({ os, now, until: now + LEASE, limit });
  const names = (deliveries: readonly ClaimedDelivery[]) => deliveries.map(({ device }) => device).sort();
  const states = async ({ id }: PushMessage) =>
    Object.fromEntries((await outbox().list(id, { skip: 0, limit: 100 })).map(({ device, state }) => [device, state]));

  /** Adds a user with devices `p0`, `p1`, …, and a message to all of them. */
  async function sent(count: number): Promise<{ ann: NewUser; message: PushMessage }> {
    const ann = await addUser(current(), 'Ann');
    for (let i = 0; i < count; i++) await register(ann.id, `p${i}`);
    const message = newMessage();
    await outbox().add(message, { userIds: [ann.id], platforms: BOTH });
    return { ann, message };
  }

  /** Claims the only delivery that is due. */
  async function claimOne(now = NOW): Promise<ClaimedDelivery> {
    const [delivery, ...more] = await claim(now);
    if (delivery === undefined || more.length > 0) throw new Error('not exactly one delivery is due');
    return delivery;
  }

  describe('the list of messages', () => {
    it('has them newest first with their senders, page by page', async () => {
      const ann = await addUser(current(), 'Ann');
      const messages = [newMessage({ senderId: ann.id }), newMessage(), newMessage({ senderId: ann.id })];
      for (const message of messages) await outbox().add(message, { userIds: [], platforms: BOTH });
      const [oldest, middle, newest] = messages.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const shown = (message: PushMessage | undefined) => ({
        ...message,
        sender: message?.senderId === ann.id ? 'Ann' : null,
      });
      const first = await outbox().recent({ after: null, limit: 2 });
      expect(first).toEqual([shown(newest), shown(middle)]);
      expect(await outbox().recent({ after: middle?.id ?? null, limit: 2 })).toEqual([shown(oldest)]);
      expect(await outbox().recent({ after: oldest?.id ?? null, limit: 2 })).toEqual([]);
    });
  });

  describe('devices of a user beyond the limit', () => {
    const ids = async (userId: string) => (await devices().list(userId)).map(({ id }) => id);
    const registerOneOf = (most: number, userId: string, id: string, registered: number) =>
      devices().register({ id, userId, os: 'android', registered }, most);

    it('are removed, oldest registrations first, and their waiting notifications are withdrawn', async () => {
      const { ann, message } = await sent(4);
      const bob = await addUser(current(), 'Bob');
      await register(bob.id, 'other');
      for (const [id, at] of [
        ['p1', NOW + 3],
        ['p3', NOW + 2],
        ['p0', NOW + 1],
      ] as const) {
        await registerOneOf(3, ann.id, id, at);
      }
      expect(await ids(ann.id)).toEqual(['p0', 'p1', 'p2', 'p3']);
      await registerOneOf(2, ann.id, 'new', NOW + 4);
      expect(await ids(ann.id)).toEqual(['new', 'p1', 'p3']);
      expect(await ids(bob.id)).toEqual(['other']);
      expect(await states(message)).toEqual({ p0: 'withdrawn', p1: 'waiting', p2: 'withdrawn', p3: 'waiting' });
      // Never the device being registered, even if its clock is behind.
      await registerOneOf(0, ann.id, 'late', NOW - 1);
      expect(await ids(ann.id)).toEqual(['late']);
    });

    it('are removed at most a hundred at a time', async () => {
      const ann = await addUser(current(), 'Ann');
      for (let i = 0; i < 130; i++) await register(ann.id, `d${i}`, 'android', NOW + i);
      await registerOneOf(9, ann.id, 'new', NOW + 200);
      expect(await ids(ann.id)).toHaveLength(31);
      await registerOneOf(9, ann.id, 'new', NOW + 200);
      const newest = Array.from({ length: 9 }, (_, i) => `d${121 + i}`);
      expect(await ids(ann.id)).toEqual([...newest, 'new'].sort());
    });
  });

  describe('a message', () => {
    it('is delivered to each device of its recipients once', async () => {
      const people: NewUser[] = [];
      for (let i = 0; i < 120; i++) {
        const person = await addUser(current(), `user${i}`);
        people.push(person);
        await register(person.id, `a${i}`);
      }
      await register(people[7]?.id ?? '', 'second');
      await register((await addUser(current(), 'somebody else')).id, 'other');
      const message = newMessage();
      const ids = people.map(({ id }) => id);
      expect(await outbox().add(message, { userIds: [...ids, ...ids], platforms: BOTH })).toEqual([
        { os: 'android', state: 'waiting', count: 121 },
      ]);
      const claimed = await claim(NOW, 1_000);
      expect(names(claimed)).toEqual([...people.map((_, i) => `a${i}`), 'second'].sort());
      expect(claimed[0]).toMatchObject({ attempt: 1, os: 'android', messageId: message.id, message });
      expect(await outbox().find(message.id)).toEqual(message);
      expect(await outbox().find(uuid())).toBeNull();
    });

    it('waits only for platforms that have a push service', async () => {
      const ann = await addUser(current(), 'Ann');
      await register(ann.id, 'iphone', 'ios');
      await register(ann.id, 'pixel', 'android');
      const [all, some, none] = [newMessage(), newMessage(), newMessage()];
      expect(await outbox().add(all, { userIds: [ann.id], platforms: BOTH })).toEqual([
        { os: 'android', state: 'waiting', count: 1 },
        { os: 'ios', state: 'waiting', count: 1 },
      ]);
      expect(await outbox().add(some, { userIds: [ann.id], platforms: ['ios'] })).toEqual([
        { os: 'android', state: 'unconfigured', count: 1 },
        { os: 'ios', state: 'waiting', count: 1 },
      ]);
      expect(await outbox().add(none, { userIds: [], platforms: BOTH })).toEqual([]);
      expect(await states(all)).toEqual({ iphone: 'waiting', pixel: 'waiting' });
      expect(await states(some)).toEqual({ iphone: 'waiting', pixel: 'unconfigured' });
      expect(await states(none)).toEqual({});
      expect(await claim(NOW, 10, 'ios')).toHaveLength(2);
      expect(await claim(NOW, 10, 'android')).toHaveLength(1);
    });

    it('shows the state of its deliveries', async () => {
      const { ann, message } = await sent(3);
      const deliveries = (await claim(NOW, 2)).sort((a, b) => (a.device < b.device ? -1 : 1));
      const [first, second] = deliveries as [ClaimedDelivery, ClaimedDelivery];
      await outbox().settle([
        { ...settled(first), state: 'delivered' },
        { ...settled(second), state: 'refused', reason: 'PayloadTooLarge' },
      ]);
      expect(await outbox().counts(message.id)).toEqual([
        { os: 'android', state: 'delivered', count: 1 },
        { os: 'android', state: 'refused', count: 1 },
        { os: 'android', state: 'waiting', count: 1 },
      ]);
      const shown = { messageId: message.id, userId: ann.id, username: 'Ann', os: 'android' };
      const [of, ...more] = await outbox().list(message.id, { skip: 1, limit: 1 });
      expect([of, more]).toEqual([expect.objectContaining({ ...shown, device: 'p1' }), []]);
      const refused = (await outbox().list(message.id, { skip: 0, limit: 10 })).filter(
        ({ state }) => state === 'refused',
      );
      expect(refused).toEqual([
        { ...shown, device: second.device, attempt: 1, state: 'refused', reason: 'PayloadTooLarge' },
      ]);
      await current().users.remove(ann.id);
      expect(await outbox().list(message.id, { skip: 0, limit: 1 })).toMatchObject([{ username: null }]);
    });

    it('is removed with its deliveries some time after it has expired', async () => {
      const { ann, message } = await sent(2);
      const later = newMessage({ expires: NOW + 70_000 });
      await outbox().add(later, { userIds: [ann.id], platforms: BOTH });
      expect(await current().removeExpired(NOW + KEPT_MESSAGES_MS + 60_000, 10)).toBe(0);
      expect(await current().removeExpired(NOW + KEPT_MESSAGES_MS + 80_000, 1)).toBe(1);
      expect(await current().removeExpired(NOW + KEPT_MESSAGES_MS + 65_000, 10)).toBe(0);
      expect(await outbox().find(message.id)).toBeNull();
      expect(await outbox().counts(message.id)).toEqual([]);
      expect(await claim()).toHaveLength(2);
    });
  });

  describe('a claim', () => {
    it('gives each delivery to exactly one of many concurrent calls', async () => {
      await sent(60);
      const claims = await Promise.all(Array.from({ length: 20 }, () => claim(NOW, 5)));
      const all = claims.flat();
      expect(new Set(names(all)).size).toBe(all.length);
      expect(claims.every((one) => one.length <= 5)).toBe(true);
      const rest = await claim(NOW, 100);
      expect(new Set([...names(all), ...names(rest)]).size).toBe(60);
      expect(all.length + rest.length).toBe(60);
      expect(await claim()).toEqual([]);
    });

    it('is due again when its lease ends, and counts the attempts', async () => {
      await sent(1);
      expect(await outbox().nextDue('android')).toBe(NOW);
      const first = await claimOne();
      expect(await outbox().nextDue('android')).toBe(NOW + LEASE);
      expect(await claim(NOW + LEASE - 1)).toEqual([]);
      const second = await claimOne(NOW + LEASE);
      expect([first.attempt, second.attempt]).toEqual([1, 2]);
      expect([await outbox().isWanted(first), await outbox().isWanted(second)]).toEqual([false, true]);
    });

    it('takes the deliveries that are due longest first', async () => {
      await sent(3);
      const claimed = await claim();
      const due = { p0: 30, p1: 10, p2: 20 } as Record<string, number>;
      const retry = (one: ClaimedDelivery): Settlement => ({
        ...settled(one),
        state: 'waiting',
        due: NOW + (due[one.device] ?? 0),
      });
      await outbox().settle(claimed.map(retry));
      expect(await outbox().nextDue('android')).toBe(NOW + 10);
      expect(names(await claim(NOW + 9))).toEqual([]);
      expect(names(await claim(NOW + 100, 2))).toEqual(['p1', 'p2']);
      expect(names(await claim(NOW + 100, 2))).toEqual(['p0']);
    });
  });

  describe('a settlement', () => {
    it.each(['delivered', 'refused', 'expired', 'withdrawn'] as const)('as %s is final', async (state) => {
      const { message } = await sent(1);
      const delivery = await claimOne();
      await outbox().settle([{ ...settled(delivery), state }]);
      await outbox().settle([{ ...settled(delivery), state: 'waiting', due: NOW }]);
      await outbox().settle([{ ...settled(delivery), state: 'delivered' }]);
      expect(await states(message)).toEqual({ p0: state });
      expect(await outbox().isWanted(delivery)).toBe(false);
      expect(await claim(NOW + 10 * LEASE)).toEqual([]);
      expect(await outbox().nextDue('android')).toBeNull();
    });

    it('of an attempt that another node has claimed since counts only when it was delivered', async () => {
      const { message } = await sent(1);
      const old = await claimOne();
      const present = await claimOne(NOW + LEASE);
      await outbox().settle([{ ...settled(old), state: 'waiting', due: NOW }]);
      await outbox().settle([{ ...settled(old), state: 'refused', reason: 'late' }]);
      expect(await claim(NOW + LEASE)).toEqual([]);
      expect(await outbox().isWanted(present)).toBe(true);
      await outbox().settle([{ ...settled(old), state: 'delivered' }]);
      expect(await states(message)).toEqual({ p0: 'delivered' });
      expect(await outbox().isWanted(present)).toBe(false);
    });

    it('as dead removes the device and withdraws its other waiting notifications', async () => {
      const { ann, message } = await sent(2);
      const other = newMessage();
      await outbox().add(other, { userIds: [ann.id], platforms: BOTH });
      const dead = (await claim(NOW, 4)).find((one) => one.device === 'p0' && one.messageId === message.id);
      if (dead === undefined) throw new Error('not claimed');
      await outbox().settle([{ ...settled(dead), state: 'dead', reason: 'Unregistered', since: NOW + 5 }]);
      expect(await states(message)).toEqual({ p0: 'dead', p1: 'waiting' });
      expect(await states(other)).toEqual({ p0: 'withdrawn', p1: 'waiting' });
      expect((await devices().list(ann.id)).map(({ id }) => id)).toEqual(['p1']);
    });

    it('as dead keeps a device that was registered again since', async () => {
      const { ann, message } = await sent(1);
      const delivery = await claimOne();
      await register(ann.id, 'p0', 'android', NOW + 10);
      await outbox().settle([{ ...settled(delivery), state: 'dead', reason: null, since: NOW + 5 }]);
      expect(await states(message)).toEqual({ p0: 'dead' });
      expect(await devices().list(ann.id)).toHaveLength(1);
    });
  });

  describe('a notification that waits for a device', () => {
    const endings: ReadonlyArray<readonly [string, (ann: NewUser) => Promise<unknown>]> = [
      ['is removed', (ann) => devices().remove('p0', ann.id)],
      ['is removed with all devices of its user', (ann) => devices().removeOfUser(ann.id, null)],
      ['is removed with all devices except another', (ann) => devices().removeOfUser(ann.id, 'p1')],
      ['is registered by another user', async () => register((await addUser(current(), 'Bob')).id, 'p0')],
    ];

    it.each(endings)('is withdrawn when the device %s, even if it is registered again later', async (_title, end) => {
      const { ann, message } = await sent(1);
      const delivery = await claimOne();
      expect(await outbox().isWanted(delivery)).toBe(true);
      await end(ann);
      expect(await outbox().isWanted(delivery)).toBe(false);
      expect(await states(message)).toEqual({ p0: 'withdrawn' });
      await register(ann.id, 'p0');
      expect(await outbox().isWanted(delivery)).toBe(false);
      expect(await claim(NOW + LEASE)).toEqual([]);
    });

    it('stays when another user tries to remove the device, or its user logs in again', async () => {
      const { ann } = await sent(2);
      await devices().remove('p0', uuid());
      await devices().removeOfUser(ann.id, 'p0');
      await register(ann.id, 'p0', 'android', NOW + 1);
      const delivery = await claimOne();
      expect([delivery.device, await outbox().isWanted(delivery)]).toEqual(['p0', true]);
    });

    it('is not wanted after its user has been removed', async () => {
      const { ann } = await sent(1);
      const delivery = await claimOne();
      await current().users.remove(ann.id);
      expect(await outbox().isWanted(delivery)).toBe(false);
    });

    it('stays when the transaction that withdrew it rolls back', async () => {
      const { ann } = await sent(1);
      const failure = new Error('rolled back');
      const attempt = current().transaction(async (stores) => {
        await stores.devices.remove('p0', ann.id);
        throw failure;
      });
      await expect(attempt).rejects.toBe(failure);
      expect(await outbox().isWanted(await claimOne())).toBe(true);
    });
  });

  it('settles, logs out and suspends concurrently without deadlock', async () => {
    const { ann } = await sent(20);
    for (let i = 0; i < 3; i++) await outbox().add(newMessage(), { userIds: [ann.id], platforms: BOTH });
    const claimed = await claim(NOW, 100);
    expect(claimed).toHaveLength(80);
    await Promise.all([
      outbox().settle(claimed.slice(0, 40).map((one) => ({ ...settled(one), state: 'delivered' }))),
      outbox().settle(claimed.slice(40).map((one) => ({ ...settled(one), state: 'waiting', due: NOW }))),
      devices().remove('p3', ann.id),
      devices().remove('p17', ann.id),
      devices().removeOfUser(ann.id, 'p5'),
      ...Array.from({ length: 10 }, () => claim(NOW, 10)),
    ]);
    expect((await devices().list(ann.id)).map(({ id }) => id)).toEqual(['p5']);
  });

  it('sets the device of an existing session', async () => {
    const ann = await addUser(current(), 'Ann');
    const session = newSession(ann.id);
    await current().sessions.add(session);
    expect(await current().sessions.setDevice(session.id, 'phone')).toBe(true);
    expect((await current().sessions.find(session.id))?.session.deviceId).toBe('phone');
    expect(await current().sessions.setDevice('nothing', 'phone')).toBe(false);
  });
}
