import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Bytes, FreeObject, Html, type OpenApi, type Page, pageOperation, sendNotFound } from '@baobab/http';
import { Type } from 'typebox';
import { MARK } from './mark.ts';
import { PAGE_SCRIPT, PAGE_STYLE, referenceHtml } from './reference-page.ts';
import { withoutSecretsInQuery } from './secrets-in-query.ts';
import { createStaticFiles } from './static-files.ts';

const PAGE = '/docs';
/** Content security policy of the page: all content comes from this server, and inline styles are allowed. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Files added to those of Swagger UI. */
const OWN_FILES: ReadonlyMap<string, readonly [type: string, content: string]> = new Map([
  ['baobab.css', ['text/css; charset=utf-8', PAGE_STYLE]],
  ['baobab.js', ['text/javascript; charset=utf-8', PAGE_SCRIPT]],
  ['baobab.svg', ['image/svg+xml', MARK]],
]);

const swaggerFolder = () => join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');

/** Returns the document for the page. Its server is relative, so that calls also work below a path prefix of a proxy. */
const shownDocument = (text: string) => ({
  ...withoutSecretsInQuery(JSON.parse(text) as OpenApi),
  servers: [{ url: '../' }],
});

/**
 * Serves the OpenAPI document as a page: Swagger UI.
 *
 * @param appCode application code that the page fills in; with null, users type it
 */
export const referencePage =
  (appCode: string | null): Page =>
  async (app, { document }) => {
    const fileOf = createStaticFiles(swaggerFolder());

    app.get(
      PAGE,
      pageOperation('docs', 'Read this document as an interactive page', { response: { 200: Html } }),
      async (_request, reply) =>
        reply
          .type('text/html; charset=utf-8')
          .headers({ ...HEADERS, 'cache-control': 'no-cache' })
          .send(referenceHtml(`.${PAGE}`, appCode)),
    );

    app.get(
      `${PAGE}/json`,
      pageOperation('docsDocument', 'Read the document that the page shows', { response: { 200: FreeObject } }),
      async (_request, reply) => reply.headers(HEADERS).send(shownDocument(await document())),
    );

    app.get(
      `${PAGE}/static/:file`,
      pageOperation('docsFile', 'Read a file that the page loads', {
        params: Type.Object({ file: Type.String({ description: 'The name of the file' }) }),
        response: { 200: Bytes, 304: Type.Null() },
        fails: ['route.not_found'],
      }),
      async (request, reply) => {
        const own = OWN_FILES.get(request.params.file);
        if (own !== undefined) {
          const [type, content] = own;
          return reply.headers({ ...HEADERS, 'content-type': type, 'cache-control': 'no-cache' }).send(content);
        }
        const { 'if-none-match': match, 'if-modified-since': since } = request.headers;
        const file = await fileOf(request.params.file, { 'if-none-match': match, 'if-modified-since': since });
        if (file === null) return sendNotFound(request, reply, 'There is no such file');
        return reply
          .status(file.status)
          .headers({ ...file.headers, ...HEADERS })
          .send(file.bytes);
      },
    );
  };
