import type { DeviceStore, Session, SessionOrigin, SessionStore } from '@baobab/core';
import { hasSecondFactor } from './credentials.ts';
import { groupIdsOf } from './groups.ts';
import { withdraw } from './outbox.ts';
import type { SessionRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

const toSession = ({ id, userId, created, lastUsed, deviceId }: SessionRow): Session => ({
  id,
  userId,
  created,
  lastUsed,
  deviceId,
});

const UNKNOWN: SessionOrigin = { network: null, agent: null, factor: null };
const toRow = (session: Session, origin: SessionOrigin = UNKNOWN, loggedIn: number = session.created): SessionRow => ({
  ...session,
  ...origin,
  loggedIn,
});

/** Maximum number of sessions that `surplus` returns. Most users have only one session per device. */
const MOST_SURPLUS = 1_000;

export function createSessionStore(state: State): Immediate<SessionStore> {
  const { users, sessions } = state;
  const isGuest = (userId: string) => users.get(userId)?.guest === true;

  return {
    add: (session, origin, loggedIn) => sessions.set(toRow(session, origin, loggedIn)),
    begin(session, { key, passwordHash }, origin) {
      const user = users.get(session.userId);
      if (user?.status !== 'ACTIVE' || user.key !== key || user.passwordHash !== passwordHash) return false;
      if (hasSecondFactor(state, user.id)) return false;
      sessions.set(toRow(session, origin));
      return true;
    },
    find(sessionId) {
      const session = sessions.get(sessionId);
      const user = session && users.get(session.userId);
      if (session === null || user === null) return null;
      const { id, name, role, status, guest } = user;
      const owner = { id, name, role, status, groups: groupIdsOf(state, id) };
      return { session: toSession(session), user: owner, guest };
    },
    touch: (id, at) => sessions.update(id, (row) => ({ lastUsed: Math.max(at, row.lastUsed) })) !== null,
    loggedIn: (id) => sessions.get(id)?.loggedIn ?? null,
    setDevice: (id, deviceId) => sessions.update(id, { deviceId }) !== null,
    remove: (id) => sessions.remove({ id }).map(toSession)[0] ?? null,
    removeOfUser: (userId, except) =>
      sessions.remove((row) => row.userId === userId && row.id !== except).map(({ id }) => id),
    removeUnused: (moment, limit) =>
      sessions.remove((row) => row.lastUsed < moment && !isGuest(row.userId), limit).length,
    list(userId, limit) {
      const newest = sessions.where({ userId }).sort((a, b) => b.created - a.created);
      return newest.slice(0, limit).map(({ loggedIn: _loggedIn, ...row }) => ({ ...row, guest: isGuest(userId) }));
    },
    surplus(userId, kept, most) {
      const others = sessions.where({ userId }).filter(({ id }) => id !== kept);
      others.sort((a, b) => b.lastUsed - a.lastUsed || b.created - a.created || (a.id < b.id ? 1 : -1));
      return others.slice(most - 1, most - 1 + MOST_SURPLUS).map(toSession);
    },
  };
}

/** Maximum number of devices removed by one registration. */
const AT_ONCE = 100;

export function createDeviceStore(state: State): Immediate<DeviceStore> {
  const { devices, sessions } = state;

  function forget(id: string, userId: string): void {
    withdraw(state, id, (addressee) => addressee === userId);
    devices.delete(id);
  }

  return {
    register(device, most = Number.POSITIVE_INFINITY) {
      const { id: deviceId, userId } = device;
      devices.set(device);
      sessions.updateAll((row) => row.deviceId === deviceId && row.userId !== userId, { deviceId: null });
      withdraw(state, deviceId, (addressee) => addressee !== userId);
      const others = devices.where({ userId }).filter(({ id }) => id !== deviceId);
      others.sort((a, b) => b.registered - a.registered);
      for (const { id } of others.slice(most, most + AT_ONCE)) forget(id, userId);
    },
    remove(id, userId) {
      if (devices.get(id)?.userId !== userId) return false;
      forget(id, userId);
      return true;
    },
    removeOfUser(userId, except) {
      for (const { id } of devices.where({ userId })) if (id !== except) forget(id, userId);
    },
    list: (userId) => devices.where({ userId }),
  };
}
