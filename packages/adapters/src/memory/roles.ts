import { ROLES, type RoleStore, rolePrincipal } from '@baobab/core';
import { moveRules } from './collections.ts';
import { markUsers, moveAudience } from './feed.ts';
import { moveGrants } from './grants.ts';
import type { State } from './state.ts';
import type { Immediate } from './tables.ts';

export function createRoleStore(state: State): Immediate<RoleStore> {
  const { roles, users, apiKeys } = state;

  return {
    findByKey(key) {
      const role = roles.get(key);
      return role && { name: role.name, description: role.description, builtIn: role.builtIn };
    },
    list: () => roles.all().map(({ key: _key, ...role }) => role),
    add({ name, description }) {
      const key = name.toLowerCase();
      if (roles.has(key)) return false;
      roles.set({ key, name, description, builtIn: false });
      // A grant that was made during the removal of a former role with this name may be left.
      moveGrants(state, rolePrincipal(key), null);
      return true;
    },
    update(key, { name, description }) {
      const role = roles.get(key);
      if (role === null || role.builtIn) return null;
      const newKey = name.toLowerCase();
      if (newKey !== key && roles.has(newKey)) return false;
      roles.delete(key);
      roles.set({ key: newKey, name, description, builtIn: false });
      users.updateAll({ role: role.name }, { role: name });
      apiKeys.updateAll({ role: role.name }, { role: name });
      if (newKey !== key) {
        moveGrants(state, rolePrincipal(newKey), null);
        moveGrants(state, rolePrincipal(key), rolePrincipal(newKey));
        moveAudience(state, rolePrincipal(key), rolePrincipal(newKey));
      }
      moveRules(state, key, newKey);
      return true;
    },
    remove(key) {
      const role = roles.get(key);
      if (role === null || role.builtIn) return false;
      const members = users.updateAll({ role: role.name }, { role: ROLES.registered }).map(({ id }) => id);
      markUsers(state, members, 'role');
      apiKeys.remove({ role: role.name });
      moveGrants(state, rolePrincipal(key), null);
      moveRules(state, key, null);
      return roles.delete(key);
    },
  };
}
