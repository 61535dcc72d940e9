import type { NewUser, Session, Storage, VerifiedCredentials } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { addFactor, addUser, NOW, newSession, newUser, token, uuid } from './fixtures.ts';

export function sessionsContract(current: () => Storage): void {
  it('finds a session together with its user', async () => {
    const user = await addUser(current(), 'Ann', { role: 'BackOffice', status: 'SUSPENDED' });
    const session = newSession(user.id, { lastUsed: NOW + 5, deviceId: 'phone' });
    await current().sessions.add(session);
    expect(await current().sessions.find(session.id)).toEqual({
      session,
      user: { id: user.id, name: 'Ann', role: 'BackOffice', status: 'SUSPENDED', groups: [] },
      guest: false,
    });
  });

  it('returns null for an unknown id', async () => {
    expect(await current().sessions.find(token())).toBeNull();
    expect(await current().sessions.remove(token())).toBeNull();
    expect(await current().sessions.touch(token(), NOW)).toBe(false);
    expect(await current().sessions.list(uuid(), 10)).toEqual([]);
  });

  describe('begin', () => {
    const begin = (user: NewUser, change: Partial<VerifiedCredentials> = {}) => {
      const session = newSession(user.id, { deviceId: 'phone' });
      const credentials = { key: user.key, passwordHash: user.passwordHash ?? '', ...change };
      return { session, hasBegun: current().sessions.begin(session, credentials) };
    };
    const addAnn = (overrides: Partial<NewUser> = {}) =>
      addUser(current(), 'Ann', { passwordHash: 'hash', ...overrides });

    it('adds a session of an active user whose credentials are current', async () => {
      const user = await addAnn();
      const { session, hasBegun } = begin(user);
      expect(await hasBegun).toBe(true);
      expect((await current().sessions.find(session.id))?.session).toEqual(session);
    });

    it.each<[string, () => Promise<ReturnType<typeof begin>>]>([
      ['another password', async () => begin(await addAnn(), { passwordHash: 'former hash' })],
      ['another name', async () => begin(await addAnn(), { key: 'anna' })],
      ['no password', async () => begin(await addAnn({ passwordHash: null }))],
      ['been suspended', async () => begin(await addAnn({ status: 'SUSPENDED' }))],
      ['been removed', async () => begin(newUser('ghost', { passwordHash: 'hash' }))],
    ])('adds nothing when the user has %s', async (_what, begun) => {
      const { session, hasBegun } = await begun();
      expect(await hasBegun).toBe(false);
      expect(await current().sessions.find(session.id)).toBeNull();
    });

    it('adds nothing when the user needs a second factor', async () => {
      const user = await addAnn();
      await addFactor(current(), user.id);
      const { session, hasBegun } = begin(user);
      expect(await hasBegun).toBe(false);
      expect(await current().sessions.find(session.id)).toBeNull();
      await current().factors.remove(user.id);
      expect(await begin(user).hasBegun).toBe(true);
    });

    it('waits for a change of the user in progress', async () => {
      const user = await addAnn();
      let change: () => void = () => undefined;
      const changing = new Promise<void>((resolve) => {
        change = resolve;
      });
      const hasBegun = changing.then(() => begin(user).hasBegun);
      await current().transaction(async (stores) => {
        await stores.users.update(user.id, { passwordHash: 'new hash' });
        change();
        await changing;
        await stores.sessions.removeOfUser(user.id, null);
      });
      expect(await hasBegun).toBe(false);
      expect(await current().sessions.list(user.id, 20)).toEqual([]);
    });

    it('leaves no session that a concurrent change of the password does not see', async () => {
      const user = await addAnn();
      const before = Array.from({ length: 5 }, () => begin(user));
      const change = current().transaction(async (stores) => {
        await stores.users.update(user.id, { passwordHash: 'new hash' });
        await stores.sessions.removeOfUser(user.id, null);
      });
      const after = Array.from({ length: 5 }, () => begin(user));
      await Promise.all([change, ...[...before, ...after].map(({ hasBegun }) => hasBegun)]);
      expect(await current().sessions.list(user.id, 20)).toEqual([]);
    });
  });

  it('refuses a session of an unknown user', async () => {
    await expect(current().sessions.add(newSession(newUser('ghost').id))).rejects.toMatchObject({
      code: 'user.not_found',
    });
  });

  it('moves the last use forward, never back', async () => {
    const user = await addUser(current(), 'Ann');
    const session = newSession(user.id);
    await current().sessions.add(session);
    const lastUsed = async () => (await current().sessions.find(session.id))?.session.lastUsed;
    expect(await current().sessions.touch(session.id, NOW + 60_000)).toBe(true);
    expect(await lastUsed()).toBe(NOW + 60_000);
    expect(await current().sessions.touch(session.id, NOW + 10)).toBe(true);
    expect(await lastUsed()).toBe(NOW + 60_000);
  });

  it('lists where sessions began, and how', async () => {
    const user = await addUser(current(), 'Ann');
    const origins = [
      { network: '192.0.2.0/24', agent: 'Zoë’s app 😀', factor: null },
      { network: '2001:db8:1::/48', agent: null, factor: 'totp' },
      { network: null, agent: null, factor: 'recovery_code' },
    ] as const;
    const sessions = origins.map((_origin, i) => newSession(user.id, { created: NOW + i }));
    const [first, second, third] = sessions as [Session, Session, Session];
    await current().sessions.add(first, origins[0]);
    await current().sessions.add(second, origins[1]);
    const credentials = { key: user.key, passwordHash: user.passwordHash ?? '' };
    expect(await current().sessions.begin(third, credentials, origins[2])).toBe(true);
    const listed = await current().sessions.list(user.id, 10);
    expect(listed).toEqual(sessions.map((session, i) => ({ ...session, ...origins[i], guest: false })).toReversed());
    // The columns that every request reads must not grow.
    expect((await current().sessions.find(first.id))?.session).toEqual(first);
    expect(await current().sessions.remove(first.id)).toEqual(first);
  });

  it('knows the time of the login that began it, which uses do not change', async () => {
    const user = await addUser(current(), 'Ann');
    const [session, later] = [newSession(user.id, { lastUsed: NOW + 60_000 }), newSession(user.id)];
    await current().sessions.add(session);
    await current().sessions.touch(session.id, NOW + 70_000);
    expect(await current().sessions.loggedIn(session.id)).toBe(NOW);
    const origin = { network: null, agent: 'app', factor: null };
    await current().sessions.add(later, origin, NOW - 90_000);
    expect(await current().sessions.loggedIn(later.id)).toBe(NOW - 90_000);
    expect((await current().sessions.find(later.id))?.session).toEqual(later);
    expect(await current().sessions.list(user.id, 10)).toContainEqual({ ...later, ...origin, guest: false });
    expect(await current().sessions.loggedIn(token())).toBeNull();
  });

  it('gives a removed session to exactly one of many concurrent calls', async () => {
    const user = await addUser(current(), 'Ann');
    const session = newSession(user.id, { deviceId: 'phone' });
    await current().sessions.add(session);
    const removed = await Promise.all(Array.from({ length: 20 }, () => current().sessions.remove(session.id)));
    expect(removed.filter((one) => one !== null)).toEqual([session]);
    expect(await current().sessions.find(session.id)).toBeNull();
  });

  it('ends all sessions of a user except one', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const sessions = [newSession(ann.id), newSession(ann.id), newSession(ann.id), newSession(bob.id)] as const;
    for (const session of sessions) await current().sessions.add(session);
    const ended = await current().sessions.removeOfUser(ann.id, sessions[1].id);
    expect(ended.toSorted()).toEqual([sessions[0].id, sessions[2].id].toSorted());
    expect(await current().sessions.list(ann.id, 10)).toMatchObject([sessions[1]]);
    expect(await current().sessions.list(bob.id, 10)).toMatchObject([sessions[3]]);
    expect(await current().sessions.removeOfUser(ann.id, null)).toEqual([sessions[1].id]);
  });

  it('names the sessions that are too many: those that were not used for longest', async () => {
    const user = await addUser(current(), 'Ann');
    const uses = [5, 1, 4, 2, 3];
    const sessions = uses.map((used) => newSession(user.id, { lastUsed: NOW + used, deviceId: `phone ${used}` }));
    for (const session of sessions) await current().sessions.add(session);
    await current().sessions.add(newSession((await addUser(current(), 'Bob')).id));
    const [first, oldest] = sessions as [Session, Session];
    const surplus = async (kept: string, most: number) =>
      (await current().sessions.surplus(user.id, kept, most)).map(({ lastUsed }) => lastUsed - NOW).toSorted();
    expect(await surplus(first.id, 5)).toEqual([]);
    expect(await surplus(first.id, 3)).toEqual([1, 2]);
    expect(await surplus(oldest.id, 3)).toEqual([2, 3]);
    expect(await surplus(oldest.id, 1)).toEqual([2, 3, 4, 5]);
    expect(await current().sessions.surplus(user.id, first.id, 4)).toEqual([oldest]);
  });

  it('removes unused sessions, except those of guests', async () => {
    const [guest, ann] = [await addUser(current(), 'Guest', { guest: true }), await addUser(current(), 'Ann')];
    const [ofGuest, unused, used] = [
      newSession(guest.id),
      newSession(ann.id),
      newSession(ann.id, { lastUsed: NOW + 1 }),
    ] as const;
    for (const session of [ofGuest, unused, used]) await current().sessions.add(session);
    expect((await current().sessions.find(ofGuest.id))?.guest).toBe(true);
    expect(await current().sessions.list(guest.id, 10)).toMatchObject([{ id: ofGuest.id, guest: true }]);
    expect(await current().sessions.removeUnused(NOW + 1, 10)).toBe(1);
    expect(await current().sessions.find(unused.id)).toBeNull();
    expect(await current().sessions.find(used.id)).not.toBeNull();
    await current().users.update(guest.id, { guest: false });
    expect(await current().sessions.list(guest.id, 10)).toMatchObject([{ id: ofGuest.id, guest: false }]);
    expect(await current().sessions.removeUnused(NOW + 1, 10)).toBe(1);
    expect(await current().sessions.find(ofGuest.id)).toBeNull();
  });

  it('lists the newest session first, up to the limit', async () => {
    const user = await addUser(current(), 'Ann');
    for (const created of [NOW, NOW + 2, NOW + 1]) await current().sessions.add(newSession(user.id, { created }));
    const created = async (limit: number) =>
      (await current().sessions.list(user.id, limit)).map((session) => session.created);
    expect(await created(10)).toEqual([NOW + 2, NOW + 1, NOW]);
    expect(await created(2)).toEqual([NOW + 2, NOW + 1]);
  });
}

export function devicesContract(current: () => Storage): void {
  it('registers devices, lists them by id, and removes them', async () => {
    const user = await addUser(current(), 'Ann');
    const device = { userId: user.id, os: 'ios', registered: NOW } as const;
    await current().devices.register({ ...device, id: 'tablet' });
    await current().devices.register({ ...device, id: 'phone' });
    expect(await current().devices.list(user.id)).toEqual([
      { ...device, id: 'phone' },
      { ...device, id: 'tablet' },
    ]);
    expect(await current().devices.remove('phone', user.id)).toBe(true);
    expect(await current().devices.remove('phone', user.id)).toBe(false);
    expect((await current().devices.list(user.id)).map(({ id }) => id)).toEqual(['tablet']);
  });

  it('moves a device to its new user and out of the sessions of the old one', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const device = { id: 'phone', os: 'android', registered: NOW } as const;
    await current().devices.register({ ...device, userId: ann.id });
    const [old, kept] = [newSession(ann.id, { deviceId: 'phone' }), newSession(bob.id, { deviceId: 'phone' })];
    await current().sessions.add(old);
    await current().devices.register({ ...device, userId: bob.id, os: 'ios', registered: NOW + 1 });
    await current().sessions.add(kept);
    await current().devices.register({ ...device, userId: bob.id, os: 'ios', registered: NOW + 2 });
    expect(await current().devices.list(ann.id)).toEqual([]);
    expect(await current().devices.list(bob.id)).toEqual([
      { id: 'phone', userId: bob.id, os: 'ios', registered: NOW + 2 },
    ]);
    expect((await current().sessions.find(old.id))?.session.deviceId).toBeNull();
    expect((await current().sessions.find(kept.id))?.session.deviceId).toBe('phone');
  });

  it('does not remove devices of other users', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await current().devices.register({ id: 'phone', userId: ann.id, os: 'ios', registered: NOW });
    expect(await current().devices.remove('phone', bob.id)).toBe(false);
    expect(await current().devices.list(ann.id)).toHaveLength(1);
  });

  it('refuses a device of an unknown user', async () => {
    const device = { id: 'phone', userId: uuid(), os: 'ios', registered: NOW } as const;
    await expect(current().devices.register(device)).rejects.toMatchObject({ code: 'user.not_found' });
  });
}
