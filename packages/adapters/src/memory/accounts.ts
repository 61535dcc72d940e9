import {
  AppError,
  type DeviceStore,
  type NewUser,
  type Session,
  type SessionOrigin,
  type SessionStore,
} from '@baobab/core';
import { hasSecondFactor } from './factors.ts';
import { groupIdsOf } from './groups.ts';
import { withdraw } from './outbox.ts';
import type { SessionRow, State } from './state.ts';

function requireUser(state: State, id: string): NewUser {
  const user = state.users.get(id);
  if (user === undefined) throw new AppError('user.not_found');
  return user;
}

const toSession = ({ loggedIn: _loggedIn, origin: _origin, ...session }: SessionRow): Session => session;
const toRow = (session: Session, origin?: SessionOrigin): SessionRow => ({
  ...session,
  ...(origin && { origin: { ...origin } }),
});
/** Maximum number of sessions that `surplus` returns. Most users have only one session per device. */
const MOST_SURPLUS = 1_000;
const loggedInAt = ({ loggedIn, created }: SessionRow) => loggedIn ?? created;
const UNKNOWN: SessionOrigin = { network: null, agent: null, factor: null };

export function createSessionStore(state: State): SessionStore {
  return {
    async add(session, origin) {
      requireUser(state, session.userId);
      state.sessions.set(toRow(session, origin));
    },
    async begin(session, { key, passwordHash }, origin) {
      const user = state.users.get(session.userId);
      if (user?.status !== 'ACTIVE' || user.key !== key || user.passwordHash !== passwordHash) return false;
      if (hasSecondFactor(state, user.id)) return false;
      state.sessions.set(toRow(session, origin));
      return true;
    },
    async find(id) {
      const session = state.sessions.get(id);
      if (session === undefined) return null;
      const { id: userId, name, role, status, guest } = requireUser(state, session.userId);
      return {
        session: toSession(session),
        user: { id: userId, name, role, status, groups: groupIdsOf(state, userId) },
        loggedIn: loggedInAt(session),
        guest,
      };
    },
    async touch(id, at) {
      const session = state.sessions.get(id);
      if (session === undefined) return false;
      if (at > session.lastUsed) state.sessions.set({ ...session, lastUsed: at });
      return true;
    },
    async loggedIn(id) {
      const session = state.sessions.get(id);
      return session === undefined ? null : loggedInAt(session);
    },
    async logIn(id, at) {
      const session = state.sessions.get(id);
      if (session === undefined) return false;
      state.sessions.set({ ...session, loggedIn: at, lastUsed: Math.max(at, session.lastUsed) });
      return true;
    },
    async setDevice(id, deviceId) {
      const session = state.sessions.get(id);
      if (session === undefined) return false;
      state.sessions.set({ ...session, deviceId });
      return true;
    },
    async remove(id) {
      const session = state.sessions.get(id);
      if (session === undefined) return null;
      state.sessions.delete(id);
      return toSession(session);
    },
    async removeOfUser(userId, except) {
      const ids = state.sessions.where('user', userId).map(({ id }) => id);
      const ended = ids.filter((id) => id !== except);
      for (const id of ended) state.sessions.delete(id);
      return ended;
    },
    async removeUnused(moment, limit) {
      const isOfGuest = (userId: string) => state.users.get(userId)?.guest === true;
      const unused = state.sessions.values().filter((row) => row.lastUsed < moment && !isOfGuest(row.userId));
      for (const { id } of unused.slice(0, limit)) state.sessions.delete(id);
      return Math.min(unused.length, limit);
    },
    async list(userId, limit) {
      const sessions = state.sessions.where('user', userId).sort((a, b) => b.created - a.created);
      const guest = state.users.get(userId)?.guest === true;
      return sessions
        .slice(0, limit)
        .map((row) => ({ ...toSession(row), ...(row.origin ?? UNKNOWN), loggedIn: loggedInAt(row), guest }));
    },
    async surplus(userId, kept, most) {
      const others = state.sessions.where('user', userId).filter(({ id }) => id !== kept);
      others.sort((a, b) => b.lastUsed - a.lastUsed || b.created - a.created || (a.id < b.id ? 1 : -1));
      return others.slice(most - 1, most - 1 + MOST_SURPLUS).map(toSession);
    },
  };
}

/** Maximum number of devices removed by one registration. */
const AT_ONCE = 100;

export function createDeviceStore(state: State): DeviceStore {
  function forget(id: string, userId: string): void {
    withdraw(state, id, (addressee) => addressee === userId);
    state.devices.delete(id);
  }

  return {
    async register(device, most) {
      requireUser(state, device.userId);
      for (const session of state.sessions.where('device', device.id)) {
        if (session.userId !== device.userId) state.sessions.set({ ...session, deviceId: null });
      }
      state.devices.set({ ...device });
      withdraw(state, device.id, (userId) => userId !== device.userId);
      if (most === undefined) return;
      const others = state.devices.where('user', device.userId).filter(({ id }) => id !== device.id);
      others.sort((a, b) => b.registered - a.registered || (a.id < b.id ? -1 : 1));
      for (const { id } of others.slice(most, most + AT_ONCE)) forget(id, device.userId);
    },
    async remove(id, userId) {
      if (state.devices.get(id)?.userId !== userId) return false;
      forget(id, userId);
      return true;
    },
    async removeOfUser(userId, except) {
      for (const { id } of state.devices.where('user', userId)) {
        if (id !== except) forget(id, userId);
      }
    },
    async list(userId) {
      return state.devices.where('user', userId).map((device) => ({ ...device }));
    },
  };
}
