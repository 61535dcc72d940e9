import type { SearchIndexes } from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../../requests/bodies.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { within } from '../../responses/within.ts';
import { Envelope, OneOf, OptionalText } from '../../schemas/common.ts';
import { AnyJson } from '../../schemas/documents.ts';
import { ON_JSON } from '../../schemas/failing.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('collections');

/** Maximum time that a request waits before it reports that the index is being built, in milliseconds. */
const WAIT_MS = 10_000;

const Weights = Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 100 }), {
  description: 'The weight of each searched field, by its path in the query language',
});

const SearchIndex = Type.Object({ fields: Weights, state: OneOf(['building', 'ready']) }, { title: 'SearchIndex' });

const OptionalSearchIndex = Type.Union([SearchIndex, Type.Null({ description: 'Only if `optional` is `true`' })]);

const Declaration = Type.Object(
  { fields: Type.Union([Weights, Type.Array(Type.String(), { description: 'Fields that all weigh 1' })]) },
  { additionalProperties: false },
);

const PATH = '/admin/collection/:name/search';

export const searchIndexRoutes: Routes<{ searchIndexes: SearchIndexes }> = async (app, { searchIndexes }) => {
  app.get(
    PATH,
    operation('readSearchIndex', 'Read the searched fields of a collection', {
      querystring: Type.Object({
        optional: OptionalText('`true`: the response is null if search is not enabled, instead of an error'),
      }),
      data: OptionalSearchIndex,
      fails: ['collection.not_found', 'search.not_found'],
    }),
    async ({ actor, params, query }, reply) => {
      if (query.optional !== 'true') return sendData(reply, await searchIndexes.read(actor, params.name));
      return sendData(reply, await searchIndexes.find(actor, params.name));
    },
  );

  app.put(
    PATH,
    operation('setSearchIndex', 'Enable full-text search of a collection', {
      body: AnyJson,
      data: SearchIndex,
      response: { 202: Envelope(SearchIndex, 202) },
      fails: ['collection.not_found', 'criteria.invalid', 'index.path_invalid', 'search.unsupported', ...ON_JSON],
      describes: { body: { 'application/json': Declaration } },
    }),
    async (request, reply) => {
      const { actor, params } = request;
      const declaration = { collection: params.name, body: jsonBody(request) };
      const { index, work } = await searchIndexes.declare(actor, declaration);
      const now = work === null ? index : await within(WAIT_MS, work, () => index);
      return sendData(reply, now, now.state === 'building' ? 202 : 200);
    },
  );

  app.delete(
    PATH,
    operation('removeSearchIndex', 'Disable full-text search of a collection', {
      fails: ['collection.not_found', 'search.not_found'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, searchIndexes.remove(actor, params.name)),
  );
};
