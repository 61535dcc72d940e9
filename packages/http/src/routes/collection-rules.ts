import type { CollectionRuleAdmin } from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import { sendData } from '../envelope.ts';
import { AnyJson } from '../schemas/documents.ts';
import { ON_JSON } from '../schemas/failing.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('collections');

const roles = (description: string) => Type.Array(Type.String(), { description });
const Rules = Type.Object(
  {
    create: roles('The roles that may create documents'),
    read: roles('The roles that may read every document'),
    update: roles('The roles that may change every document'),
    delete: roles('The roles that may delete every document'),
  },
  { title: 'Rules' },
);
const RulesChange = Type.Partial(Rules, { additionalProperties: false, title: 'RulesChange' });

export const collectionRuleRoutes: Routes<{ collectionRules: CollectionRuleAdmin }> = async (
  app,
  { collectionRules },
) => {
  app.get(
    '/admin/collection/:name/rules',
    operation('readRules', 'The rules of a collection', { data: Rules, fails: ['collection.not_found'] }),
    async ({ actor, params }, reply) => sendData(reply, await collectionRules.read(actor, params.name)),
  );

  app.put(
    '/admin/collection/:name/rules',
    operation('changeRules', 'Change rules of a collection; those that are absent stay', {
      body: AnyJson,
      data: Rules,
      fails: ['collection.not_found', 'grant.role_unknown', 'input.array_expected', ...ON_JSON],
      describes: { body: { 'application/json': RulesChange } },
    }),
    async (request, reply) => {
      const { actor, params } = request;
      return sendData(reply, await collectionRules.change(actor, { name: params.name, body: jsonBody(request) }));
    },
  );
};
