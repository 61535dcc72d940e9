import { type Actor, type Presence, ROLES } from '@baobab/core';

/** An operator who can run the program on the database has all permissions. */
export const OPERATOR: Actor = {
  user: { id: 'operator', name: 'operator', role: ROLES.administrator },
  sessionId: null,
  key: null,
  isAdmin: true,
  isPrivileged: true,
  principals: [],
};

/** An operator who runs commands on the machine counts as present. */
export const OPERATOR_PRESENCE: Presence = { password: null, address: '' };
