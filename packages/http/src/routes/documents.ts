import {
  type Actor,
  type DocumentPage,
  type DocumentPath,
  type Documents,
  isUuid,
  type PageWithTotal,
  type Reference,
  withTotal,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import {
  conditionIn,
  criteriaText,
  expandOf,
  type ListRoutes,
  searchPage,
  searchWithTotal,
  sendFound,
  wantsTotal,
} from '../criteria.ts';
import { sendData, sendJson, sendNothing, sendPage } from '../envelope.ts';
import { keyedRequest, marked, sendKeyed } from '../idempotency.ts';
import { listQuery, MAX_LIST_BODY, type RawQuery } from '../list-body.ts';
import { pageRequest, pagingAfter } from '../paging.ts';
import { documentJson, documentsJson } from '../render/document.ts';
import { expandedDocumentsJson } from '../render/expanded.ts';
import { CountedPage, LIST_NOTE } from '../schemas/common.ts';
import {
  AnyJson,
  Count,
  CriteriaQuery,
  Document,
  DocumentQuery,
  ListQuery,
  RemovalQuery,
  WrittenDocument,
} from '../schemas/documents.ts';
import { ON_DOCUMENT, ON_EXPAND, ON_GRANTS, ON_JSON, ON_PAGE, ON_VERSION } from '../schemas/failing.ts';
import { operationsIn, queryOf, type Routes } from './describe.ts';
import { changedBy, createChangeSender, type DocumentChangeOptions } from './document-changes.ts';
import { documentFieldRoutes, removedVersion } from './document-fields.ts';
import { documentPatchRoutes } from './document-patches.ts';
import { readJson } from './document-reads.ts';

const operation = operationsIn('documents');

export interface DocumentRouteOptions extends ListRoutes, DocumentChangeOptions {}

interface ExpandedList {
  readonly collection: string;
  readonly query: RawQuery;
  readonly references: readonly Reference[];
}

/** Properties of a collection's list under both GET and POST. */
const LIST = {
  querystring: ListQuery,
  response: { 200: CountedPage(Type.Array(Document)) },
  fails: [...ON_DOCUMENT, ...ON_PAGE, 'expand.limit'],
  access: 'anybody',
} as const;

const READ_NOTE =
  ' With the id of a document in place of the collection the response is that document. This is described as ' +
  '`GET /document/{collection}/{id}`.';

export const documentRoutes: Routes<DocumentRouteOptions> = async (app, options) => {
  const { documents, transact, parseQuery, pages } = options;
  const sendChanged = createChangeSender(options);

  const shown = (actor: Actor, path: DocumentPath, query: RawQuery) =>
    readJson(documents, actor, { path, query, maxBytes: pages.maxPageBytes });

  /** Returns a page in order of creation, with the number of all documents if requested. */
  function listWithTotal<Page extends { readonly documents: readonly unknown[]; readonly more: boolean }>(
    { actor, query }: { readonly actor: Actor; readonly query: RawQuery },
    page: DocumentPage,
    list: () => Promise<Page>,
  ): Promise<PageWithTotal<Page>> {
    return withTotal({
      isWanted: wantsTotal(query),
      list,
      count: () => documents.count(actor, page.collection),
      isQuick: true,
      isFirst: page.after === null && page.skip === 0,
      rowsOf: (found) => found.documents.length,
    });
  }

  async function sendExpanded(
    reply: FastifyReply,
    actor: Actor,
    { collection, query, references }: ExpandedList,
  ): Promise<FastifyReply> {
    const text = criteriaText(query);
    if (text !== null) {
      const page = searchPage(query, parseQuery(text), pages);
      const counted = await searchWithTotal(query, page, {
        search: () => documents.searchExpanded(actor, { collection, ...page }, references),
        count: () => documents.count(actor, collection, page.query.where),
      });
      return sendFound(reply, { page, ...counted, render: expandedDocumentsJson });
    }
    const page = { collection, ...pageRequest(query, pages) };
    const list = () => documents.listExpanded(actor, page, references);
    const { found, total } = await listWithTotal({ actor, query }, page, list);
    const paging = pagingAfter(found.more, found.documents.at(-1)?.document.id);
    return sendPage(reply, expandedDocumentsJson(found.documents), { ...paging, total });
  }

  async function sendList(request: FastifyRequest, reply: FastifyReply, collection: string): Promise<FastifyReply> {
    request.server.unread.assertRoom(request);
    const { actor } = request;
    const query = listQuery(request);
    const references = query.expand === undefined ? null : expandOf(query);
    if (query.count === 'true') {
      return sendData(reply, [{ count: await documents.count(actor, collection, conditionIn(query, parseQuery)) }]);
    }
    if (references !== null) return sendExpanded(reply, actor, { collection, query, references });
    const text = criteriaText(query);
    if (text !== null) {
      const page = searchPage(query, parseQuery(text), pages);
      const counted = await searchWithTotal(query, page, {
        search: () => documents.search(actor, { collection, ...page }),
        count: () => documents.count(actor, collection, page.query.where),
      });
      return sendFound(reply, { page, ...counted, render: documentsJson });
    }
    const page = { collection, ...pageRequest(query, pages) };
    const { found, total } = await listWithTotal({ actor, query }, page, () => documents.list(actor, page));
    const paging = pagingAfter(found.more, found.documents.at(-1)?.id);
    return sendPage(reply, documentsJson(found.documents), { ...paging, total });
  }

  app.post(
    '/document/:collection',
    operation('createDocument', 'Store a document', {
      body: AnyJson,
      data: Document,
      isKeyed: true,
      fails: [
        'access.denied',
        'collection.not_found',
        'document.invalid',
        'document.version_invalid',
        ...ON_GRANTS,
        ...ON_JSON,
      ],
    }),
    async (request, reply) => {
      const { actor } = request;
      const creation = { collection: request.params.collection, body: jsonBody(request) };
      return sendChanged(reply, null, (on) => on.create(actor, creation));
    },
  );

  app.get(
    '/document/:collection',
    operation('listDocuments', 'The documents of a collection that the caller may read', {
      ...LIST,
      description: LIST_NOTE + READ_NOTE,
      accepts: ['withAcl'], // for requests with a document id in place of the collection
    }),
    async (request, reply) => {
      const { actor, params, query } = request;
      if (!isUuid(params.collection)) return sendList(request, reply, params.collection);
      request.server.unread.assertRoom(request);
      return sendJson(reply, await shown(actor, { collection: null, id: params.collection }, query));
    },
  );

  app.post(
    '/document/:collection/query',
    {
      bodyLimit: MAX_LIST_BODY,
      ...operation('queryDocuments', 'As listDocuments, with the parameters in the body', {
        ...queryOf(LIST),
        description: LIST_NOTE,
      }),
    },
    async (request, reply) => sendList(request, reply, request.params.collection),
  );

  app.get(
    '/document/:collection/count',
    operation('countDocuments', 'How many documents of a collection the caller may read', {
      querystring: CriteriaQuery,
      data: Count,
      fails: ['collection.not_found', 'criteria.invalid', 'search.too_long'],
      access: 'anybody',
    }),
    async ({ actor, params: { collection }, query }, reply) =>
      sendData(reply, { count: await documents.count(actor, collection, conditionIn(query, parseQuery)) }),
  );

  app.get(
    '/document/:collection/:id',
    operation('readDocument', 'One document', {
      querystring: DocumentQuery,
      data: Document,
      fails: [...ON_DOCUMENT, ...ON_EXPAND],
      access: 'anybody',
    }),
    async ({ actor, params, query }, reply) => {
      if (query.withAcl === undefined && query.expand === undefined) {
        return sendJson(reply, documentJson(await documents.read(actor, params)));
      }
      return sendJson(reply, await shown(actor, params, query));
    },
  );

  app.put(
    '/document/:collection/:id',
    operation('replaceDocument', 'Replace the content of a document', {
      body: AnyJson,
      data: WrittenDocument,
      isKeyed: true,
      fails: [...ON_DOCUMENT, 'document.invalid', ...ON_VERSION, ...ON_JSON],
    }),
    async (request, reply) => {
      const { actor, params } = request;
      const change = { ...params, body: jsonBody(request) };
      return sendChanged(reply, params.id, (on) => on.replace(actor, change));
    },
  );

  await app.register(async (scope) => documentPatchRoutes(scope as unknown as typeof app, options));

  app.delete(
    '/document/:collection/:id',
    operation('removeDocument', 'Remove a document', {
      querystring: RemovalQuery,
      response: { 204: Type.Null() },
      isKeyed: true,
      fails: [...ON_DOCUMENT, ...ON_VERSION],
    }),
    async (request, reply) => {
      const { actor, params, query } = request;
      const keyed = keyedRequest(request);
      const version = removedVersion(null, query.version ?? null);
      if (keyed === null && version === null) {
        await documents.remove(actor, params);
        return sendNothing(reply);
      }
      const work = async (on: Documents) => {
        await on.remove(actor, params, version);
        return { data: '', hasChanged: true };
      };
      const answer = await transact(actor, { changes: changedBy(params.id), keyed, work });
      return 'failure' in answer ? sendKeyed(reply, answer) : sendNothing(marked(reply, answer));
    },
  );

  await documentFieldRoutes(app, options);
};
