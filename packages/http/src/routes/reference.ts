import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { httpFailure, sendFailure } from '../errors.ts';
import { describeRoutes } from '../reference/describe.ts';
import type { OpenApi } from '../reference/document.ts';
import type { Examples } from '../reference/examples.ts';
import { openPage } from '../reference/page.ts';
import type { ServedRoute } from '../reference/routes.ts';
import { Bytes } from '../schemas/assets.ts';
import { Failure, FreeObject, failures } from '../schemas/common.ts';
import type { Routes } from './plugin.ts';

const PAGE = '/docs';
/** Content security policy of the page: everything comes from this service, and the page may set inline styles. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['reference'] });

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

export interface ReferenceOptions {
  readonly routes: readonly ServedRoute[];
  /** The application code that the page fills in; null: users type it. */
  readonly appCode: string | null;
}

/** The OpenAPI document, and a page to read it. Neither is loaded or generated before the first request. */
export const referenceRoutes: Routes<ReferenceOptions> = async (app, { routes, appCode }) => {
  const document = once(async () => {
    const { default: examples } = await import('../reference/examples.json', { with: { type: 'json' } });
    return JSON.stringify(await describeRoutes(routes, examples as Examples));
  });
  const page = once(async () => openPage(PAGE, JSON.parse(await document()) as OpenApi, appCode));

  async function servePage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status, headers, body } = await (await page())(request.raw.url ?? PAGE, request.headers);
    // Names that the page refuses do not exist either.
    if (status >= 400) return sendFailure(request, reply, httpFailure('route.not_found', 'There is no such file'));
    return reply.status(status).headers(headers).header('Content-Security-Policy', PAGE_POLICY).send(body);
  }

  app.get(
    '/openapi.json',
    {
      schema: { ...schema('openApi', 'This document, as OpenAPI 3.1'), response: { 200: FreeObject, ...failures } },
      config: { access: 'open' },
    },
    async (_request, reply: FastifyReply) => reply.type('application/json; charset=utf-8').send(await document()),
  );

  app.get(
    PAGE,
    {
      schema: {
        ...schema('docs', 'This document as an interactive page'),
        response: { 200: { content: { 'text/html': { schema: Type.String() } } }, ...failures },
      },
      config: { access: 'open' },
    },
    async (request, reply) => servePage(request, reply),
  );

  app.get(
    `${PAGE}/json`,
    {
      schema: {
        ...schema('docsDocument', 'The document that the page shows'),
        response: { 200: FreeObject, ...failures },
      },
      config: { access: 'open' },
    },
    async (request, reply) => servePage(request, reply),
  );

  app.get(
    `${PAGE}/static/:file`,
    {
      schema: {
        ...schema('docsFile', 'A file that the page loads'),
        params: Type.Object({ file: Type.String({ description: 'The name of the file' }) }),
        response: { 200: Bytes, 304: Type.Null(), 404: Failure, ...failures },
      },
      config: { access: 'open' },
    },
    async (request, reply) => servePage(request, reply),
  );
};
