import { type Documents, type DocumentTransactions, isUuid, type Query } from '@baobab/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { answerSearch, expandOf, listQuery, MAX_LIST_BODY } from '../../lists/criteria.ts';
import { documentsJson, expandedDocumentsJson } from '../../render/document.ts';
import { registerMergePatches } from '../../requests/bodies.ts';
import { keyedRequest, sendKeyed } from '../../requests/idempotency.ts';
import { sendJson, sendText } from '../../responses/envelope.ts';
import { CountedPage, LIST_NOTE } from '../../schemas/common.ts';
import { Document, ListQuery } from '../../schemas/documents.ts';
import { ON_DOCUMENT, ON_PAGE, ON_SEARCH } from '../../schemas/failing.ts';
import { operationsIn, queryOf, type Routes } from '../describe.ts';
import {
  changedBy,
  DOCUMENT_OPERATIONS,
  type DocumentCall,
  type DocumentOperation,
  type DocumentOperationOptions,
  readById,
} from './operations.ts';

const operation = operationsIn('documents');

export interface DocumentRouteOptions extends DocumentOperationOptions {
  readonly documents: Documents;
  readonly transact: DocumentTransactions;
}

type DocumentRequest = FastifyRequest & DocumentCall;

/** Properties of a collection's list under both GET and POST. */
const LIST = {
  querystring: ListQuery,
  response: { 200: CountedPage(Type.Array(Document)) },
  fails: [...ON_DOCUMENT, ...ON_PAGE, ...ON_SEARCH, 'expand.limit'],
  access: 'anybody',
} as const;

const READ_NOTE =
  ' With the id of a document in place of the collection the response is that document. This is described as ' +
  '`GET /document/{collection}/{id}`.';

export const documentRoutes: Routes<DocumentRouteOptions> = async (app, options) => {
  const { documents, transact, parseQuery, pages } = options;

  async function sendList(request: FastifyRequest, reply: FastifyReply, collection: string): Promise<FastifyReply> {
    const { actor } = request;
    const references = expandOf(listQuery(request));
    const list = { parseQuery, pages, count: (query: Query) => documents.count(actor, collection, query) };
    return references === null
      ? answerSearch(request, reply, {
          ...list,
          search: (page) => documents.search(actor, { collection, ...page }),
          render: documentsJson,
        })
      : answerSearch(request, reply, {
          ...list,
          search: (page) => documents.searchExpanded(actor, { collection, ...page }, references),
          render: expandedDocumentsJson,
        });
  }

  /** Runs an operation, in a transaction if it has an idempotency key or is compound. */
  async function sendResult(
    { prepare, isKeyed, isCompound }: DocumentOperation,
    request: DocumentRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const work = prepare(request, options);
    const keyed = isKeyed ? keyedRequest(request) : null;
    if (keyed === null && isCompound?.(request) !== true) {
      return sendText(reply, await work(documents));
    }
    const answer = await transact(request.actor, {
      changes: changedBy(request.params.id),
      keyed,
      work: async (on) => ({ data: await work(on), hasChanged: true }),
    });
    return sendKeyed(reply, answer);
  }

  let patches = app;
  await app.register(async (scope) => {
    // In a separate scope: other routes would mistake a merge patch for a whole document.
    registerMergePatches(scope as unknown as FastifyInstance);
    patches = scope as unknown as typeof app;
  });
  for (const operation of DOCUMENT_OPERATIONS) {
    const { method, path, options: described } = operation;
    const scope = method === 'patch' ? patches : app;
    scope[method](path, described, (request, reply) => sendResult(operation, request as DocumentRequest, reply));
  }

  app.get(
    '/document/:collection',
    operation('listDocuments', 'List the documents that the caller may read', {
      ...LIST,
      description: LIST_NOTE + READ_NOTE,
      accepts: ['withAcl'], // for requests with a document id in place of the collection
    }),
    async (request, reply) => {
      const { collection: name } = request.params;
      if (!isUuid(name)) return sendList(request, reply, name);
      request.server.unread.assertRoom(request);
      return sendJson(reply, await readById(request, options)(documents));
    },
  );

  app.post(
    '/document/:collection/query',
    {
      bodyLimit: MAX_LIST_BODY,
      ...operation('queryDocuments', 'List documents, with the parameters in the body', {
        ...queryOf(LIST),
        description: LIST_NOTE,
      }),
    },
    async (request, reply) => sendList(request, reply, request.params.collection),
  );
};
