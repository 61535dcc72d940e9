import { type Actor, createActor, type Presence, ROLES } from '@baobab/core';
import type { Services } from '@baobab/http';

/** Name of the built-in administrator. */
const ADMINISTRATOR = 'admin';

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

/** Returns the built-in administrator as an actor. @throws `user.not_found` before the first start */
export const builtInAdministrator = async ({ userAdmin }: Pick<Services, 'userAdmin'>): Promise<Actor> =>
  createActor(await userAdmin.read(OPERATOR, ADMINISTRATOR), null);
