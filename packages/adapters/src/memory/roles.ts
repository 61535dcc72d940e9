import { ROLES, type RoleStore, rolePrincipal } from '@baobab/core';
import { moveRules } from './collections.ts';
import { markUsers, moveAudience } from './feed.ts';
import { changeGrants } from './grants.ts';
import { removeServerKeys } from './server-keys.ts';
import type { RoleRow, State } from './state.ts';

const toRole = ({ name, description, builtIn }: RoleRow) => ({ name, description, builtIn });

export function createRoleStore(state: State): RoleStore {
  /** Moves the grants of a role to another, or removes them if `to` is null. */
  function moveGrants(from: string, to: string | null): void {
    changeGrants(state, rolePrincipal(from), (grants, rights) => {
      if (to !== null) grants.set(rolePrincipal(to), rights);
    });
  }

  function moveUsers(from: string, to: string): void {
    for (const user of state.users.where('role', from)) state.users.set({ ...user, role: to });
  }

  const changeable = (key: string) => {
    const role = state.roles.get(key);
    return role === undefined || role.builtIn ? null : role;
  };

  return {
    async findByKey(key) {
      const role = state.roles.get(key);
      return role === undefined ? null : toRole(role);
    },
    async list() {
      return state.roles.values().map(toRole);
    },
    async add({ name, description }) {
      const key = name.toLowerCase();
      if (state.roles.get(key) !== undefined) return false;
      state.roles.set({ key, name, description, builtIn: false });
      return true;
    },
    async update(key, { name, description }) {
      const role = changeable(key);
      if (role === null) return null;
      const newKey = name.toLowerCase();
      if (newKey !== key && state.roles.get(newKey) !== undefined) return false;
      state.roles.delete(key);
      state.roles.set({ key: newKey, name, description, builtIn: false });
      moveUsers(role.name, name);
      for (const row of state.serverKeys.where('role', role.name)) state.serverKeys.set({ ...row, role: name });
      if (newKey !== key) {
        moveGrants(key, newKey);
        moveAudience(state, rolePrincipal(key), rolePrincipal(newKey));
      }
      moveRules(state, key, newKey);
      return true;
    },
    async remove(key) {
      const role = changeable(key);
      if (role === null) return false;
      const users = state.users.where('role', role.name).map(({ id }) => id);
      markUsers(state, users, 'role');
      moveUsers(role.name, ROLES.registered);
      removeServerKeys(state, 'role', role.name);
      moveGrants(key, null);
      moveRules(state, key, null);
      return state.roles.delete(key);
    },
  };
}
