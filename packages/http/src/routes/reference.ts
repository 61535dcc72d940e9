import { type Actor, type CollectionSchemas, type Collections, isJsonObject } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { httpFailure, sendFailure } from '../errors.ts';
import { type DescribedCollection, describeCollections } from '../reference/collections.ts';
import { describeRoutes } from '../reference/describe.ts';
import type { OpenApi } from '../reference/document.ts';
import type { Examples } from '../reference/examples.ts';
import { openPage } from '../reference/page.ts';
import type { ServedRoute } from '../reference/routes.ts';
import { Bytes } from '../schemas/assets.ts';
import { Failure, FreeObject, Html, OptionalText } from '../schemas/common.ts';
import { operationsIn } from './describe.ts';
import type { Routes } from './plugin.ts';

const operation = operationsIn('reference');

const PAGE = '/docs';
/** Content security policy of the page: everything comes from this service, and the page may set inline styles. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Failures of a caller who is identified only where that is needed. */
const ON_IDENTITY = [
  'admin.required',
  'app_code.invalid',
  'auth.invalid',
  'auth.required',
  'passwords.busy',
  'rate.limited',
  'session.invalid',
] as const;

/** Calls `make` on first use and keeps its result. A failure is not kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Sends JSON text. */
const sendText = (reply: FastifyReply, text: string) => reply.type('application/json; charset=utf-8').send(text);

export interface ReferenceOptions {
  readonly routes: readonly ServedRoute[];
  /** The application code that the page fills in; null: users type it. */
  readonly appCode: string | null;
  readonly collections: Collections;
  readonly collectionSchemas: CollectionSchemas;
  /** The caller of a request whose route authenticates nobody. @throws as for other routes */
  identify(request: FastifyRequest): Promise<Actor>;
}

/** The OpenAPI document, and a page to read it. Neither is loaded or generated before the first request. */
export const referenceRoutes: Routes<ReferenceOptions> = async (app, options) => {
  const { routes, appCode, collections, collectionSchemas, identify } = options;
  const document = once(async () => {
    const { default: examples } = await import('../reference/examples.json', { with: { type: 'json' } });
    return JSON.stringify(await describeRoutes(routes, examples as Examples));
  });
  const page = once(async () => openPage(PAGE, JSON.parse(await document()) as OpenApi, appCode));

  async function schemaOf(actor: Actor, name: string): Promise<DescribedCollection> {
    const text = await collectionSchemas.find(actor, name);
    const schema: unknown = text === null ? null : JSON.parse(text);
    return { name, schema: isJsonObject(schema) ? schema : null };
  }

  /** The document with the collections of the app. @throws `auth.required`, `admin.required` */
  async function documentWithCollections(actor: Actor): Promise<string> {
    const described: DescribedCollection[] = [];
    for (const name of await collections.names(actor)) described.push(await schemaOf(actor, name));
    return JSON.stringify(describeCollections(JSON.parse(await document()) as OpenApi, described));
  }

  async function servePage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status, headers, body } = await (await page())(request.raw.url ?? PAGE, request.headers);
    // Names that the page refuses do not exist either.
    if (status >= 400) return sendFailure(request, reply, httpFailure('route.not_found', 'There is no such file'));
    const own = { 'Content-Security-Policy': PAGE_POLICY, 'Referrer-Policy': 'no-referrer' };
    return reply.status(status).headers(headers).headers(own).send(body);
  }

  app.get(
    '/openapi.json',
    operation('openApi', 'This document, as OpenAPI 3.1', {
      querystring: Type.Object({
        collections: OptionalText('`true`: with the collections of the app, for administrators'),
      }),
      response: { 200: FreeObject },
      access: 'open',
      fails: ON_IDENTITY,
    }),
    async (request, reply) => {
      const { collections: isWanted } = request.query;
      const text = isWanted === 'true' ? await documentWithCollections(await identify(request)) : await document();
      return sendText(reply, text);
    },
  );

  app.get(
    PAGE,
    operation('docs', 'This document as an interactive page', { response: { 200: Html }, access: 'open' }),
    async (request, reply) => servePage(request, reply),
  );

  app.get(
    `${PAGE}/json`,
    operation('docsDocument', 'The document that the page shows', { response: { 200: FreeObject }, access: 'open' }),
    async (request, reply) => servePage(request, reply),
  );

  app.get(
    `${PAGE}/static/:file`,
    operation('docsFile', 'A file that the page loads', {
      params: Type.Object({ file: Type.String({ description: 'The name of the file' }) }),
      response: { 200: Bytes, 304: Type.Null(), 404: Failure },
      access: 'open',
    }),
    async (request, reply) => servePage(request, reply),
  );
};
