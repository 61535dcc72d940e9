import { AppError, type Role as CoreRole, isJsonObject, type ParsedJson, type RoleAdmin } from '@baobab/core';
import { Type } from 'typebox';
import { type KeyedRoutes, once } from '../../requests/idempotency.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Empty } from '../../schemas/common.ts';
import { Role, RoleBody } from '../../schemas/roles.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('roles');

const Description = Type.Object({ description: Type.Optional(Type.String()) });

const shown = ({ name, description, builtIn }: CoreRole) => ({ name, description, isrole: true, internal: builtIn });

/**
 * Returns the description in the body. The body is optional here, so a schema cannot require it. @throws
 * `input.invalid`
 */
function descriptionIn(json: ParsedJson | null): string {
  const body = json === null ? {} : json.value;
  const description = isJsonObject(body) ? (body.description ?? '') : null;
  if (typeof description !== 'string') {
    throw new AppError('input.invalid', { detail: 'the body may be {"description":"…"}' });
  }
  return description;
}

export const roleRoutes: Routes<KeyedRoutes & { roles: RoleAdmin }> = async (app, { roles, idempotency }) => {
  for (const { url, operationId } of [
    { url: '/admin/role', operationId: 'listRole' },
    { url: '/admin/roles', operationId: 'listRoles' },
  ]) {
    app.get(url, operation(operationId, 'List roles', { data: Type.Array(Role) }), async ({ actor }, reply) =>
      sendData(reply, (await roles.list(actor)).map(shown)),
    );
  }

  app.get(
    '/admin/role/:name',
    operation('readRole', 'Read a role', { data: Role, fails: ['role.not_found'] }),
    async ({ actor, params }, reply) => sendData(reply, shown(await roles.read(actor, params.name))),
  );

  app.post(
    '/admin/role/:name',
    operation('createRole', 'Create a role', {
      created: Empty,
      isKeyed: true,
      fails: ['role.exists', 'role.name_invalid'],
      describes: { body: { 'application/json': Description }, bodyIsOptional: true },
    }),
    async ({ actor, params, json }, reply) => {
      const role = { name: params.name, description: descriptionIn(json) };
      const create = once({ idempotency }, reply, (transact) => roles.create(actor, role, transact));
      return sendDone(reply, create, 201);
    },
  );

  app.put(
    '/admin/role/:name',
    operation('updateRole', 'Rename or describe a role; its users and grants do not change', {
      body: RoleBody,
      fails: ['role.built_in', 'role.compared', 'role.exists', 'role.name_invalid', 'role.not_found'],
    }),
    async ({ actor, params, body: { name = null, description = null } }, reply) =>
      sendDone(reply, roles.update(actor, params.name, { name, description })),
  );

  app.delete(
    '/admin/role/:name',
    operation('removeRole', 'Remove a role; its users get the role registereduser', {
      fails: ['role.built_in', 'role.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, roles.remove(actor, params.name)),
  );
};
