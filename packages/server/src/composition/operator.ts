import { type Actor, type Presence, ROLES } from '@baobab/core';

/** Anyone who can run the program on the database may do everything. */
export const OPERATOR: Actor = {
  user: { id: 'operator', name: 'operator', role: ROLES.administrator },
  sessionId: null,
  key: null,
  isAdmin: true,
  isPrivileged: true,
  principals: [],
};

/** Whoever runs commands on the machine is present. */
export const OPERATOR_PRESENCE: Presence = { password: null, address: '' };
