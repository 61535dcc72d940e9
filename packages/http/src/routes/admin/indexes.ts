import { AppError, type DeclaredIndex, INDEXED_LISTS, type IndexAdvice, type Indexes, wireDate } from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { within } from '../../responses/within.ts';
import { Envelope, NullableText, OneOf } from '../../schemas/common.ts';
import { operationsIn, type Routes } from '../describe.ts';

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
const List = OneOf(INDEXED_LISTS, 'The indexed list');
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
  unique: Type.Boolean({ description: 'True if no two documents may have the same values' }),
});

const Declaration = Type.Object(
  { unique: Type.Optional(Type.Boolean()) },
  {
    additionalProperties: false,
    description: '`unique`: true if no two documents may have the same values; absent: no change',
  },
);

/** 202: the index is being built. */
const DECLARED = {
  data: Index,
  created: Index,
  response: { 202: Envelope(Index, 202) },
  describes: { body: { 'application/json': Declaration }, bodyIsOptional: true },
};

const Advice = Type.Object({
  since: Type.String({ description: 'Start of the count in the answering process' }),
  documents: Type.Integer({ description: 'Maximum number of documents that each search examines' }),
  criteria: Type.Array(
    Type.Object({
      conditions: Type.Array(Type.Object({ field: Type.String(), operator: Type.String() })),
      orderBy: Type.Array(Type.Object({ field: Type.String(), descending: Type.Boolean() })),
      searches: Type.Integer(),
      milliseconds: Type.Integer({ description: 'The total duration of these searches' }),
      returned: Type.Integer({ description: 'The total number of returned rows' }),
      index: NullableText('The path whose index would help most'),
    }),
    { description: 'Slowest first' },
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

/** @throws `input.invalid` */
function uniqueIn(body: unknown): boolean | null {
  const members = Object.entries((body ?? {}) as object);
  for (const [name, value] of members) {
    if (name !== 'unique')
      throw new AppError('input.invalid', { detail: `unknown member "${name}"; use unique`, input: `/${name}` });
    if (typeof value !== 'boolean')
      throw new AppError('input.invalid', { detail: 'unique: expected true or false', input: '/unique' });
  }
  return members.length === 0 ? null : members[0]?.[1] === true;
}

/** 201 for a new index that is ready, 202 while it is being built. */
async function sendDeclared(reply: FastifyReply, { isNew, index, work }: DeclaredIndex) {
  const now = work === null ? index : await within(WAIT_MS, work, () => index);
  if (now.state === 'building') return sendData(reply, now, 202);
  return sendData(reply, now, isNew ? 201 : 200);
}

export const indexRoutes: Routes<{ indexes: Indexes }> = async (app, { indexes }) => {
  app.get(
    '/admin/collection/:name/index',
    operation('listIndexes', 'List the indexes of a collection', {
      data: Type.Array(Index),
      fails: ['collection.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, await indexes.list(actor, { collection: params.name })),
  );

  app.get(
    '/admin/collection/:name/index/advice',
    operation('adviseIndexes', 'List slow queries and the indexes that would help', {
      data: Advice,
      fails: ['collection.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, rendered(await indexes.advise(actor, params.name))),
  );

  app.get(
    '/admin/collection/:name/index/:path',
    operation('readIndex', 'Read an index', {
      params: IndexParams,
      data: Index,
      fails: ['collection.not_found', 'criteria.invalid', 'index.not_found', 'index.path_invalid'],
    }),
    async ({ actor, params: { name, path } }, reply) =>
      sendData(reply, await indexes.read(actor, { of: { collection: name }, path })),
  );

  app.put(
    '/admin/collection/:name/index/:path',
    operation('declareIndex', 'Create an index on fields of a collection', {
      params: IndexParams,
      ...DECLARED,
      fails: [
        'collection.not_found',
        'criteria.invalid',
        'document.duplicate',
        'index.path_invalid',
        'index.too_many',
        'index.unique_unsupported',
      ],
    }),
    async ({ actor, params: { name, path }, body }, reply) => {
      const unique = uniqueIn(body);
      return sendDeclared(reply, await indexes.declare(actor, { of: { collection: name }, path, unique }));
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
    listOperation('listIndexesOn', 'List the indexes of users, files or assets', {
      params: Type.Object({ list: List }),
      data: Type.Array(Index),
    }),
    async ({ actor, params: { list } }, reply) => sendData(reply, await indexes.list(actor, { list })),
  );

  app.get(
    '/admin/index/:list/:path',
    listOperation('readIndexOn', 'Read an index of users, files or assets', {
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
      fails: ['criteria.invalid', 'index.path_invalid', 'index.too_many', 'index.unique_unsupported'],
    }),
    async ({ actor, params: { list, path }, body }, reply) =>
      sendDeclared(reply, await indexes.declare(actor, { of: { list }, path, unique: uniqueIn(body) })),
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
