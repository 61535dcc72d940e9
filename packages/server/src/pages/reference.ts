import { Bytes, Failure, FreeObject, Html, type OpenApi, type Page, pageOperation, sendNotFound } from '@baobab/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { openPage } from './swagger-ui.ts';

const PAGE = '/docs';
/** Content security policy of the page: all content comes from this server, and inline styles are allowed. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the OpenAPI document as a page, loaded when it is first opened.
 *
 * @param appCode application code that the page fills in; with null, users type it
 */
export const referencePage =
  (appCode: string | null): Page =>
  async (app, { document }) => {
    let opening: ReturnType<typeof openPage> | null = null;

    const open = async () => openPage(PAGE, JSON.parse(await document()) as OpenApi, appCode);

    async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      opening ??= open().catch((error: unknown) => {
        opening = null;
        throw error;
      });
      const page = await opening;
      const { status, headers, body } = await page(request.raw.url ?? PAGE, request.headers);
      // File names that the page refuses do not exist either.
      if (status >= 400) return sendNotFound(request, reply, 'There is no such file');
      const own = { 'Content-Security-Policy': PAGE_POLICY, 'Referrer-Policy': 'no-referrer' };
      return reply.status(status).headers(headers).headers(own).send(body);
    }

    app.get(
      PAGE,
      pageOperation('docs', 'This document as an interactive page', { response: { 200: Html } }),
      async (request, reply) => serve(request, reply),
    );

    app.get(
      `${PAGE}/json`,
      pageOperation('docsDocument', 'The document that the page shows', {
        response: { 200: FreeObject },
      }),
      async (request, reply) => serve(request, reply),
    );

    app.get(
      `${PAGE}/static/:file`,
      pageOperation('docsFile', 'A file that the page loads', {
        params: Type.Object({ file: Type.String({ description: 'The name of the file' }) }),
        response: { 200: Bytes, 304: Type.Null(), 404: Failure },
      }),
      async (request, reply) => serve(request, reply),
    );
  };
