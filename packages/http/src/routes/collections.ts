import type { Collections } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { type KeyedRoutes, once } from '../idempotency.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { Collection } from '../schemas/documents.ts';
import { KEY_HEADER, ON_KEY } from '../schemas/failing.ts';
import type { Routes } from './plugin.ts';

const Params = Type.Object({ name: Type.String() });

export const collectionRoutes: Routes<KeyedRoutes & { collections: Collections }> = async (
  app,
  { collections, idempotency },
) => {
  app.post(
    '/admin/collection/:name',
    {
      schema: {
        operationId: 'createCollection',
        summary: 'Create a collection',
        tags: ['collections'],
        params: Params,
        response: { 201: Envelope(Empty, 201), ...failures },
      },
      config: {
        fails: ['collection.exists', 'collection.name_invalid', ...ON_KEY],
        describes: { headers: KEY_HEADER },
      },
    },
    async ({ actor, params }, reply) => {
      const create = once({ idempotency }, reply, (transact) => collections.create(actor, params.name, transact));
      return sendDone(reply, create, 201);
    },
  );

  app.get(
    '/admin/collection',
    {
      schema: {
        operationId: 'listCollections',
        summary: 'List all collections with their sizes',
        tags: ['collections'],
        response: { 200: Envelope(Type.Array(Collection)), ...failures },
      },
    },
    async ({ actor }, reply) => sendData(reply, await collections.list(actor)),
  );

  app.get(
    '/admin/collection/names',
    {
      schema: {
        operationId: 'listCollectionNames',
        summary: 'List the names of all collections, without reading their documents',
        tags: ['collections'],
        response: { 200: Envelope(Type.Array(Type.String())), ...failures },
      },
    },
    async ({ actor }, reply) => sendData(reply, await collections.names(actor)),
  );

  app.delete(
    '/admin/collection/:name',
    {
      schema: {
        operationId: 'removeCollection',
        summary: 'Remove a collection and its documents',
        tags: ['collections'],
        params: Params,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['collection.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, collections.remove(actor, params.name)),
  );
};
