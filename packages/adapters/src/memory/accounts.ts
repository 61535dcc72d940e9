import {
  AppError,
  type DeviceStore,
  type NewUser,
  type RoleStore,
  type SessionStore,
  type UserRecord,
  type UserStore,
} from '@baobab/core';
import type { State } from './state.ts';

function toRecord({ key: _key, passwordHash: _hash, ...record }: NewUser): UserRecord {
  return { ...record, sections: { ...record.sections } };
}

function requireUser(state: State, id: string): NewUser {
  const user = state.users.get(id);
  if (user === undefined) throw new AppError('user.not_found');
  return user;
}

export function createUserStore(state: State): UserStore {
  const byKey = (key: string) => state.users.where('key', key)[0];
  return {
    async add(user) {
      if (byKey(user.key) !== undefined) return false;
      state.users.set({ ...user, sections: { ...user.sections } });
      return true;
    },
    async find(id) {
      const user = state.users.get(id);
      return user === undefined ? null : toRecord(user);
    },
    async findByKey(key) {
      const user = byKey(key);
      return user === undefined ? null : toRecord(user);
    },
    async credentials(key) {
      const user = byKey(key);
      if (user === undefined) return null;
      const { id, name, role, status, passwordHash } = user;
      return { id, name, role, status, passwordHash };
    },
  };
}

export function createSessionStore(state: State): SessionStore {
  return {
    async add(session) {
      requireUser(state, session.userId);
      state.sessions.set({ ...session });
    },
    async find(id) {
      const session = state.sessions.get(id);
      if (session === undefined) return null;
      const { id: userId, name, role, status } = requireUser(state, session.userId);
      return { session: { ...session }, user: { id: userId, name, role, status } };
    },
    async touch(id, at) {
      const session = state.sessions.get(id);
      if (session === undefined) return false;
      if (at > session.lastUsed) state.sessions.set({ ...session, lastUsed: at });
      return true;
    },
    async remove(id) {
      const session = state.sessions.get(id);
      if (session === undefined) return null;
      state.sessions.delete(id);
      return { ...session };
    },
    async removeOfUser(userId, except) {
      const ids = state.sessions.where('user', userId).map(({ id }) => id);
      const ended = ids.filter((id) => id !== except);
      for (const id of ended) state.sessions.delete(id);
      return ended;
    },
    async list(userId) {
      const sessions = state.sessions.where('user', userId).map((session) => ({ ...session }));
      return sessions.sort((a, b) => b.created - a.created);
    },
  };
}

export function createDeviceStore(state: State): DeviceStore {
  return {
    async register(device) {
      requireUser(state, device.userId);
      for (const session of state.sessions.where('device', device.id)) {
        if (session.userId !== device.userId) state.sessions.set({ ...session, deviceId: null });
      }
      state.devices.set({ ...device });
    },
    async remove(id, userId) {
      return state.devices.get(id)?.userId === userId && state.devices.delete(id);
    },
    async list(userId) {
      return state.devices.where('user', userId).map((device) => ({ ...device }));
    },
  };
}

export function createRoleStore(state: State): RoleStore {
  return {
    async findByKey(key) {
      const role = state.roles.get(key);
      return role === undefined ? null : { name: role.name, description: role.description, builtIn: role.builtIn };
    },
  };
}
