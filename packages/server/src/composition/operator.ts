import { type Actor, ROLES } from '@baobab/core';

/** Anyone who can run the program on the database may do everything. */
export const OPERATOR: Actor = {
  user: { id: 'operator', name: 'operator', role: ROLES.administrator },
  sessionId: null,
  key: null,
  isAdmin: true,
  isPrivileged: true,
  principals: [],
};
