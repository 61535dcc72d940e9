import type { Collections } from '@baobab/core';
import { Type } from 'typebox';
import { type KeyedRoutes, once } from '../../requests/idempotency.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Empty } from '../../schemas/common.ts';
import { Collection } from '../../schemas/documents.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('collections');

export const collectionRoutes: Routes<KeyedRoutes & { collections: Collections }> = async (
  app,
  { collections, idempotency },
) => {
  app.post(
    '/admin/collection/:name',
    operation('createCollection', 'Create a collection', {
      created: Empty,
      isKeyed: true,
      fails: ['collection.exists', 'collection.name_invalid'],
    }),
    async ({ actor, params }, reply) => {
      const create = once({ idempotency }, reply, (transact) => collections.create(actor, params.name, transact));
      return sendDone(reply, create, 201);
    },
  );

  app.get(
    '/admin/collection',
    operation('listCollections', 'List all collections with their sizes', { data: Type.Array(Collection) }),
    async ({ actor }, reply) => sendData(reply, await collections.list(actor)),
  );

  app.get(
    '/admin/collection/names',
    operation('listCollectionNames', 'List the names of all collections', {
      data: Type.Array(Type.String()),
    }),
    async ({ actor }, reply) => sendData(reply, await collections.names(actor)),
  );

  app.delete(
    '/admin/collection/:name',
    operation('removeCollection', 'Remove a collection and its documents', { fails: ['collection.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, collections.remove(actor, params.name)),
  );
};
