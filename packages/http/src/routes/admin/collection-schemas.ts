import type { CollectionSchemas } from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../../requests/bodies.ts';
import { sendData, sendDone, sendJson } from '../../responses/envelope.ts';
import { FreeObject, OptionalText } from '../../schemas/common.ts';
import { AnyJson } from '../../schemas/documents.ts';
import { ON_JSON } from '../../schemas/failing.ts';
import { Violations } from '../../schemas/violations.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('collections');

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
    operation('readSchema', 'Read the JSON Schema of a collection', {
      querystring: Type.Object({
        optional: OptionalText('`true`: the response is null if the collection has no schema, instead of an error'),
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
    operation('changeSchema', 'Set the JSON Schema of new and changed documents', {
      querystring: Type.Object({
        dry: OptionalText('`true`: checks the stored documents without changing anything'),
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
