import {
  type Actor,
  type BelongingsUseCases,
  MAX_COUNTED,
  type Presence,
  type SessionAdmin,
  type UserAdmin,
  wireDate,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { sendProfile, shownSession } from '../../render/profile.ts';
import { presenceOf } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { CurrentPassword, OneOf } from '../../schemas/common.ts';
import { PRESENCE } from '../../schemas/factors.ts';
import { ON_ADMINISTRATOR, ON_NAME, ON_PASSWORD, ON_SECTIONS } from '../../schemas/failing.ts';
import { ShownSession } from '../../schemas/sessions.ts';
import { Profile, UserAdminChange, UserCreation } from '../../schemas/users.ts';
import { listOf, operationsIn, type Routes } from '../describe.ts';
import { createUserPager, type UserListOptions } from '../users/pager.ts';

const operation = operationsIn('user administration');

const counted = Type.Integer({ description: `At most ${MAX_COUNTED}: there may be more` });

const BelongingsAnswer = Type.Object(
  {
    documents: counted,
    files: counted,
    sessions: counted,
    followers: counted,
    following: counted,
    groups: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          name: Type.String(),
          role: OneOf(['owner', 'manager', 'member']),
        },
        { title: 'GroupOfUser' },
      ),
      { description: 'The groups that the user is in, the oldest first' },
    ),
    devices: Type.Array(
      Type.Object({ id: Type.String(), os: Type.String(), registered: Type.String() }, { title: 'RegisteredDevice' }),
    ),
  },
  { title: 'Belongings' },
);

export interface UserAdminOptions extends UserListOptions {
  readonly userAdmin: UserAdmin;
  readonly sessionAdmin: SessionAdmin;
  readonly belongings: BelongingsUseCases;
}

type UserRequest = FastifyRequest<{ Params: { readonly username: string } }>;

/** Handles an act on a user for which the administrator proves to be present. */
const acting =
  (act: (actor: Actor, username: string, presence: Presence) => Promise<unknown>) =>
  async (request: UserRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendDone(reply, act(request.actor, request.params.username, presenceOf(request)));

/** Routes under `/admin/user`. */
export const userAdminRoutes: Routes<UserAdminOptions> = async (app, options) => {
  const { userAdmin, userLists, sessionAdmin, belongings } = options;
  const sendUsers = createUserPager(options);

  app.get(
    '/admin/user',
    operation('listUsersAsAdmin', 'List users with all sections, without the built-in administrator', listOf(Profile)),
    async (request, reply) => sendUsers(request, reply, userLists.allAsAdmin(request.actor)),
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
    operation('readUserAsAdmin', 'Read a user with all sections', { data: Profile, fails: ['user.not_found'] }),
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
    operation('removeUserAsAdmin', 'Remove a user and all their data', {
      description:
        'The user is gone when the response arrives. If there is much data, the rest is removed in the background.',
      fails: ['user.internal', 'user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    acting((...call) => userAdmin.remove(...call)),
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
    acting((...call) => userAdmin.suspend(...call)),
  );

  app.put(
    '/admin/user/activate/:username',
    operation('activateUserAsAdmin', 'Reactivate a user', {
      fails: ['user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    acting((...call) => userAdmin.activate(...call)),
  );

  app.get(
    '/admin/user/:username/sessions',
    operation('listSessionsAsAdmin', 'List the sessions of a user, newest first', {
      data: Type.Array(ShownSession),
      fails: ['key.user_required', 'user.not_found'],
    }),
    async ({ actor, params }, reply) =>
      sendData(reply, (await sessionAdmin.list(actor, params.username)).map(shownSession)),
  );

  app.delete(
    '/admin/user/:username/sessions',
    operation('removeSessionsAsAdmin', 'End all sessions of a user', {
      fails: ['key.user_required', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, sessionAdmin.endAll(actor, params.username)),
  );

  app.delete(
    '/admin/user/:username/sessions/:id',
    operation('removeSessionAsAdmin', 'End one session of a user', {
      fails: ['key.user_required', 'session.not_found', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, sessionAdmin.end(actor, params.username, params.id)),
  );

  app.get(
    '/admin/user/:username/belongings',
    operation('readBelongings', 'Count the data that is removed with a user', {
      data: BelongingsAnswer,
      fails: ['user.not_found'],
    }),
    async ({ actor, params }, reply) => {
      const { groups, devices, ...counts } = await belongings.read(actor, params.username);
      return sendData(reply, {
        ...counts,
        groups: groups.map(({ id, name, role }) => ({ id, name, role })),
        devices: devices.map(({ id, os, registered }) => ({ id, os, registered: wireDate(registered) })),
      });
    },
  );
};
