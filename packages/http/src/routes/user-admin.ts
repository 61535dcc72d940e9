import type { UserAdmin } from '@baobab/core';
import { Type } from 'typebox';
import { sendDone } from '../envelope.ts';
import { sendProfile } from '../render/profile.ts';
import { CurrentPassword } from '../schemas/common.ts';
import { PRESENCE } from '../schemas/factors.ts';
import { ON_ADMINISTRATOR, ON_NAME, ON_PASSWORD, ON_SECTIONS } from '../schemas/failing.ts';
import { Profile, UserAdminChange, UserCreation } from '../schemas/users.ts';
import { listOf, operationsIn, type Routes } from './describe.ts';
import { presenceOf } from './factors.ts';
import { createUserPager, type UserListOptions } from './user-pager.ts';

const operation = operationsIn('user administration');

export const userAdminRoutes: Routes<UserListOptions & { userAdmin: UserAdmin }> = async (app, options) => {
  const { userAdmin, userLists } = options;
  const sendUsers = createUserPager(options);

  app.get(
    '/admin/user',
    operation(
      'listUsersAsAdmin',
      'List all users except the built-in administrator, with all sections',
      listOf(Profile),
    ),
    async (request, reply) => sendUsers(request, reply, (page) => userLists.allAsAdmin(request.actor, page)),
  );

  app.post(
    '/admin/user',
    operation('createUserAsAdmin', 'Create a user with a role', {
      body: UserCreation,
      created: Profile,
      fails: [...ON_SECTIONS, 'role.not_found', ...ON_NAME, ...ON_PASSWORD, ...ON_ADMINISTRATOR],
      status: { 'role.not_found': 400 },
    }),
    async (request, reply) => {
      const { username, password, role = null, current_password: _password, ...sections } = request.body;
      const creation = { username, password, role, sections, presence: presenceOf(request) };
      return sendProfile(reply, await userAdmin.create(request.actor, creation), 201);
    },
  );

  app.get(
    '/admin/user/:username',
    operation('readUserAsAdmin', 'A user with all sections', { data: Profile, fails: ['user.not_found'] }),
    async ({ actor, params }, reply) => sendProfile(reply, await userAdmin.read(actor, params.username)),
  );

  app.put(
    '/admin/user/:username',
    operation('updateUserAsAdmin', 'Change the name, role or sections of a user', {
      body: UserAdminChange,
      data: Profile,
      fails: [...ON_SECTIONS, 'role.not_found', ...ON_NAME, 'user.not_found', ...ON_ADMINISTRATOR],
      status: { 'role.not_found': 400 },
    }),
    async (request, reply) => {
      const { username = null, role = null, current_password: _password, ...sections } = request.body;
      const change = { username, role, sections, presence: presenceOf(request) };
      return sendProfile(reply, await userAdmin.update(request.actor, request.params.username, change));
    },
  );

  app.delete(
    '/admin/user/:username',
    operation('removeUserAsAdmin', 'Remove a user and everything that belongs to them', {
      description:
        'When it has answered, the user is gone. If very much belongs to them, the last documents and files are removed in the background.',
      fails: ['user.internal', 'user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    async (request, reply) =>
      sendDone(reply, userAdmin.remove(request.actor, request.params.username, presenceOf(request))),
  );

  app.put(
    '/admin/user/:username/password',
    operation('setPasswordAsAdmin', 'Set the password of a user and end all their sessions', {
      body: Type.Object({ password: Type.String(), current_password: CurrentPassword }),
      fails: ['user.not_found', ...ON_ADMINISTRATOR, ...ON_PASSWORD],
    }),
    async (request, reply) => {
      const change = { password: request.body.password, presence: presenceOf(request) };
      return sendDone(reply, userAdmin.setPassword(request.actor, request.params.username, change));
    },
  );

  app.put(
    '/admin/user/suspend/:username',
    operation('suspendUserAsAdmin', 'Suspend a user and end all their sessions', {
      fails: ['user.internal', 'user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    async (request, reply) =>
      sendDone(reply, userAdmin.suspend(request.actor, request.params.username, presenceOf(request))),
  );

  app.put(
    '/admin/user/activate/:username',
    operation('activateUserAsAdmin', 'Reactivate a user', {
      fails: ['user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    async (request, reply) =>
      sendDone(reply, userAdmin.activate(request.actor, request.params.username, presenceOf(request))),
  );
};
