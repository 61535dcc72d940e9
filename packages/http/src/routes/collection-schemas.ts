import type { CollectionSchemas } from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import { sendData, sendDone, sendJson } from '../envelope.ts';
import { FreeObject, OptionalText } from '../schemas/common.ts';
import { AnyJson } from '../schemas/documents.ts';
import { ON_JSON } from '../schemas/failing.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('collections');

const Problem = Type.Object(
  {
    path: Type.String({ description: 'A JSON Pointer into the content' }),
    message: Type.String(),
  },
  { title: 'Problem' },
);
const Violation = Type.Object({ id: Type.String(), errors: Type.Array(Problem) }, { title: 'Violation' });
const Violations = Type.Object(
  {
    violations: Type.Integer({ description: 'How many stored documents do not conform' }),
    first: Type.Array(Violation, { description: 'The first of them' }),
  },
  { title: 'Violations' },
);
const OptionalSchema = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'A JSON Schema (draft 2020-12); null only if `optional` is `true`',
});

export const collectionSchemaRoutes: Routes<{ collectionSchemas: CollectionSchemas }> = async (
  app,
  { collectionSchemas },
) => {
  app.get(
    '/admin/collection/:name/schema',
    operation('readSchema', 'The JSON Schema of a collection', {
      querystring: Type.Object({
        optional: OptionalText('`true`: the answer is null when the collection has no schema, and no failure'),
      }),
      data: OptionalSchema,
      fails: ['collection.not_found', 'schema.not_found'],
    }),
    async ({ actor, params: { name }, query }, reply) => {
      if (query.optional !== 'true') return sendJson(reply, await collectionSchemas.read(actor, name));
      return sendJson(reply, (await collectionSchemas.find(actor, name)) ?? 'null');
    },
  );

  app.put(
    '/admin/collection/:name/schema',
    operation('changeSchema', 'Set the JSON Schema to which new and changed documents must conform', {
      querystring: Type.Object({
        dry: OptionalText('`true`: only checks the stored documents'),
      }),
      body: AnyJson,
      data: Violations,
      fails: ['collection.not_found', 'schema.invalid', ...ON_JSON],
      describes: { body: { 'application/json': FreeObject } },
    }),
    async (request, reply) => {
      const { actor, params, query } = request;
      const change = { name: params.name, body: jsonBody(request), dry: query.dry === 'true' };
      return sendData(reply, await collectionSchemas.change(actor, change));
    },
  );

  app.delete(
    '/admin/collection/:name/schema',
    operation('removeSchema', 'Remove the JSON Schema of a collection', {
      fails: ['collection.not_found', 'schema.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, collectionSchemas.remove(actor, params.name)),
  );
};
