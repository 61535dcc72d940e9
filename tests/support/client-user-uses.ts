import type { AdminClient } from '@baobab/client/admin';

/** Client calls for the users of a service, by operation. */
export const USER_USES: Readonly<Record<string, readonly ((client: AdminClient) => unknown)[]>> = {
  listUsersAsAdmin: [({ admin }) => admin.users.query().page()],
  createUserAsAdmin: [({ admin }) => admin.users.create({ username: 'ann', password: 'secret', role: 'r' })],
  readUserAsAdmin: [({ admin }) => admin.users.get('bob')],
  updateUserAsAdmin: [({ admin }) => admin.users.update('bob', { role: 'r' })],
  removeUserAsAdmin: [({ admin }) => admin.users.remove('bob')],
  setPasswordAsAdmin: [({ admin }) => admin.users.setPassword('bob', 'x')],
  suspendUserAsAdmin: [({ admin }) => admin.users.suspend('bob')],
  activateUserAsAdmin: [({ admin }) => admin.users.activate('bob')],
  resetFactorsAsAdmin: [({ admin }) => admin.users.resetSecondFactor('bob', { currentPassword: 'x' })],
  readAccessAsAdmin: [({ admin }) => admin.users.access('bob')],
  secureUser: [({ admin }) => admin.users.secure('bob')],
  removePasskeyAsAdmin: [({ admin }) => admin.users.removePasskey('bob', 'x')],
  unlinkAsAdmin: [({ admin }) => admin.users.unlink('bob', 'google', { currentPassword: 'x' })],
  listSessionsAsAdmin: [({ admin }) => admin.users.sessions('bob')],
  removeSessionsAsAdmin: [({ admin }) => admin.users.endSessions('bob')],
  removeSessionAsAdmin: [({ admin }) => admin.users.endSession('bob', 'x')],
  readBelongings: [({ admin }) => admin.users.belongings('ann')],
};
