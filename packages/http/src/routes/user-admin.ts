import type { UserAdmin, UserLists } from '@baobab/core';
import { Type } from 'typebox';
import { clientAddress } from '../authenticate.ts';
import { sendDone, sendJson } from '../envelope.ts';
import { profileJson, styleOf } from '../render/profile.ts';
import { CountedPage, Empty, Envelope, failures, LIST_NOTE } from '../schemas/common.ts';
import { CurrentPassword } from '../schemas/current-password.ts';
import { ON_FRESH, ON_NAME, ON_PAGE, ON_PASSWORD, ON_SECTIONS } from '../schemas/failing.ts';
import { Profile, UserAdminChange, UserCreation, UsernameParams, UserQuery } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { createUserPager, type UserPagerOptions } from './user-pager.ts';

export interface UserAdminOptions extends UserPagerOptions {
  readonly userAdmin: UserAdmin;
  readonly userLists: UserLists;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['user administration'] });
const done = { 200: Envelope(Empty), ...failures };

export const userAdminRoutes: Routes<UserAdminOptions> = async (app, { userAdmin, userLists, ...lists }) => {
  const sendUsers = createUserPager(lists);

  app.get(
    '/admin/user',
    {
      schema: {
        ...schema('listUsersAsAdmin', 'List all users except the built-in administrator, with all sections'),
        description: LIST_NOTE,
        querystring: UserQuery,
        response: { 200: CountedPage(Type.Array(Profile)), ...failures },
      },
      config: { fails: ON_PAGE },
    },
    async (request, reply) => sendUsers(request, reply, (page) => userLists.allAsAdmin(request.actor, page)),
  );

  app.post(
    '/admin/user',
    {
      schema: {
        ...schema('createUserAsAdmin', 'Create a user with a role'),
        body: UserCreation,
        response: { 201: Envelope(Profile, 201), ...failures },
      },
      config: {
        fails: [...ON_SECTIONS, 'role.not_found', ...ON_NAME, ...ON_PASSWORD],
        status: { 'role.not_found': 400 },
      },
    },
    async (request, reply) => {
      const { username, password, role = null, ...sections } = request.body;
      const profile = await userAdmin.create(request.actor, { username, password, role, sections });
      return sendJson(reply, profileJson(profile, styleOf(request)), 201);
    },
  );

  app.get(
    '/admin/user/:username',
    {
      schema: {
        ...schema('readUserAsAdmin', 'A user with all sections'),
        params: UsernameParams,
        response: { 200: Envelope(Profile), ...failures },
      },
      config: { fails: ['user.not_found'] },
    },
    async (request, reply) => {
      const profile = await userAdmin.read(request.actor, request.params.username);
      return sendJson(reply, profileJson(profile, styleOf(request)));
    },
  );

  app.put(
    '/admin/user/:username',
    {
      schema: {
        ...schema('updateUserAsAdmin', 'Change the name, role or sections of a user'),
        params: UsernameParams,
        body: UserAdminChange,
        response: { 200: Envelope(Profile), ...failures },
      },
      config: {
        fails: [...ON_SECTIONS, 'role.not_found', ...ON_NAME, 'user.not_found'],
        status: { 'role.not_found': 400 },
      },
    },
    async (request, reply) => {
      const { username = null, role = null, ...sections } = request.body;
      const profile = await userAdmin.update(request.actor, request.params.username, { username, role, sections });
      return sendJson(reply, profileJson(profile, styleOf(request)));
    },
  );

  app.delete(
    '/admin/user/:username',
    {
      schema: {
        ...schema('removeUserAsAdmin', 'Remove a user and everything that belongs to them'),
        description:
          'When it has answered, the user is gone. If very much belongs to them, the last documents and files are removed in the background.',
        params: UsernameParams,
        response: done,
      },
      config: { fails: ['user.internal', 'user.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, userAdmin.remove(actor, params.username)),
  );

  app.put(
    '/admin/user/:username/password',
    {
      schema: {
        ...schema('setPasswordAsAdmin', 'Set the password of a user and end all their sessions'),
        params: UsernameParams,
        body: Type.Object({ password: Type.String(), current_password: CurrentPassword }),
        response: done,
      },
      config: { fails: ['user.not_found', ...ON_FRESH, ...ON_PASSWORD] },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const presence = { password: body.current_password ?? null, address: clientAddress(request) };
      return sendDone(reply, userAdmin.setPassword(actor, params.username, { password: body.password, presence }));
    },
  );

  app.put(
    '/admin/user/suspend/:username',
    {
      schema: {
        ...schema('suspendUserAsAdmin', 'Suspend a user and end all their sessions'),
        params: UsernameParams,
        response: done,
      },
      config: { fails: ['user.internal', 'user.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, userAdmin.suspend(actor, params.username)),
  );

  app.put(
    '/admin/user/activate/:username',
    {
      schema: { ...schema('activateUserAsAdmin', 'Reactivate a user'), params: UsernameParams, response: done },
      config: { fails: ['user.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, userAdmin.activate(actor, params.username)),
  );
};
