import { type DeclaredIndex, INDEXED_LISTS, type IndexAdvice, type Indexes, wireDate } from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { Envelope, NullableText, OneOf } from '../schemas/common.ts';
import { within } from '../within.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('collections');
const listOperation = operationsIn('administration');

/** Maximum time that a request waits for an index before it reports that the index is being built, in milliseconds. */
const WAIT_MS = 10_000;

const IndexParams = Type.Object({
  name: Type.String(),
  path: Type.String({
    description:
      'A path in the query language, such as `author.name` or `tags[0]`; or a JSON array of two, such as `["category","price"]`',
  }),
});
const List = OneOf(INDEXED_LISTS, 'What the index sorts');
const ListIndexParams = Type.Object({
  list: List,
  path: Type.String({
    description:
      'A path in the query language, such as `visibleByRegisteredUsers.city`, `attachedData.kind` or `name`; or a JSON array of two',
  }),
});
const Index = Type.Object({
  path: Type.String(),
  state: OneOf(['building', 'ready']),
});

/** 202: the index is being built. */
const DECLARED = { data: Index, created: Index, response: { 202: Envelope(Index, 202) } };

const Advice = Type.Object({
  since: Type.String({ description: 'When the process that answers began to count' }),
  documents: Type.Integer({ description: 'The number of documents that each search looks at, at most' }),
  criteria: Type.Array(
    Type.Object({
      conditions: Type.Array(Type.Object({ field: Type.String(), operator: Type.String() })),
      orderBy: Type.Array(Type.Object({ field: Type.String(), descending: Type.Boolean() })),
      searches: Type.Integer(),
      milliseconds: Type.Integer({ description: 'What all these searches took together' }),
      returned: Type.Integer({ description: 'The number of rows that they returned together' }),
      index: NullableText('The path whose index would help most'),
    }),
    { description: 'Those that took longest first' },
  ),
});

const rendered = ({ since, documents, criteria }: IndexAdvice) => ({
  since: wireDate(since),
  documents,
  criteria: criteria.map(({ conditions, orderBy, searches, milliseconds, returned, index }) => ({
    conditions,
    orderBy,
    searches,
    milliseconds: Math.round(milliseconds),
    returned,
    index,
  })),
});

/** 201 for a new index that is ready, 202 while it is being built. */
async function sendDeclared(reply: FastifyReply, { isNew, index, work }: DeclaredIndex) {
  const now = work === null ? index : await within(WAIT_MS, work, () => index);
  if (now.state === 'building') return sendData(reply, now, 202);
  return sendData(reply, now, isNew ? 201 : 200);
}

export const indexRoutes: Routes<{ indexes: Indexes }> = async (app, { indexes }) => {
  app.get(
    '/admin/collection/:name/index',
    operation('listIndexes', 'The indexes of a collection', {
      data: Type.Array(Index),
      fails: ['collection.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, await indexes.list(actor, { collection: params.name })),
  );

  app.get(
    '/admin/collection/:name/index/advice',
    operation('adviseIndexes', 'The searches that took longest, and the indexes that would help', {
      data: Advice,
      fails: ['collection.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, rendered(await indexes.advise(actor, params.name))),
  );

  app.get(
    '/admin/collection/:name/index/:path',
    operation('readIndex', 'One index', {
      params: IndexParams,
      data: Index,
      fails: ['collection.not_found', 'criteria.invalid', 'index.not_found', 'index.path_invalid'],
    }),
    async ({ actor, params: { name, path } }, reply) =>
      sendData(reply, await indexes.read(actor, { of: { collection: name }, path })),
  );

  app.put(
    '/admin/collection/:name/index/:path',
    operation('declareIndex', 'Create an index on one or several fields of the documents of a collection', {
      params: IndexParams,
      ...DECLARED,
      fails: ['collection.not_found', 'criteria.invalid', 'index.path_invalid', 'index.too_many'],
    }),
    async ({ actor, params: { name, path } }, reply) => {
      return sendDeclared(reply, await indexes.declare(actor, { of: { collection: name }, path }));
    },
  );

  app.delete(
    '/admin/collection/:name/index/:path',
    operation('removeIndex', 'Remove an index', {
      params: IndexParams,
      fails: ['collection.not_found', 'criteria.invalid', 'index.not_found', 'index.path_invalid'],
    }),
    async ({ actor, params: { name, path } }, reply) =>
      sendDone(reply, indexes.remove(actor, { of: { collection: name }, path })),
  );

  app.get(
    '/admin/index/:list',
    listOperation('listIndexesOn', 'The indexes of users, files or assets', {
      params: Type.Object({ list: List }),
      data: Type.Array(Index),
    }),
    async ({ actor, params: { list } }, reply) => sendData(reply, await indexes.list(actor, { list })),
  );

  app.get(
    '/admin/index/:list/:path',
    listOperation('readIndexOn', 'One index of users, files or assets', {
      params: ListIndexParams,
      data: Index,
      fails: ['criteria.invalid', 'index.not_found', 'index.path_invalid'],
    }),
    async ({ actor, params: { list, path } }, reply) =>
      sendData(reply, await indexes.read(actor, { of: { list }, path })),
  );

  app.put(
    '/admin/index/:list/:path',
    listOperation('declareIndexOn', 'Create an index on one or two fields of users, files or assets', {
      params: ListIndexParams,
      ...DECLARED,
      fails: ['criteria.invalid', 'index.path_invalid', 'index.too_many'],
    }),
    async ({ actor, params: { list, path } }, reply) =>
      sendDeclared(reply, await indexes.declare(actor, { of: { list }, path })),
  );

  app.delete(
    '/admin/index/:list/:path',
    listOperation('removeIndexOn', 'Remove an index of users, files or assets', {
      params: ListIndexParams,
      fails: ['criteria.invalid', 'index.not_found', 'index.path_invalid'],
    }),
    async ({ actor, params: { list, path } }, reply) => sendDone(reply, indexes.remove(actor, { of: { list }, path })),
  );
};
