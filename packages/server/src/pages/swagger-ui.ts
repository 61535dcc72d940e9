import type { OpenApi } from '@baobab/http';
import { MARK } from './mark.ts';
import { PAGE_SCRIPT, PAGE_STYLE, referenceHtml } from './reference-page.ts';
import { withoutSecretsInQuery } from './secrets-in-query.ts';

/** Response of the page to a GET. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Conditional request headers that are passed to the page. */
const ASKED = ['if-none-match', 'if-modified-since'] as const;
const ANSWERED = ['content-type', 'etag', 'last-modified', 'cache-control', 'location'] as const;

type Headers = Readonly<Record<string, string | readonly string[] | number | undefined>>;

function textsOf(headers: Headers, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, headers[name]]).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(found);
}

/** Files added to those of Swagger UI. */
const OWN_FILES: ReadonlyMap<string, readonly [type: string, content: string]> = new Map([
  ['baobab.css', ['text/css; charset=utf-8', PAGE_STYLE]],
  ['baobab.js', ['text/javascript; charset=utf-8', PAGE_SCRIPT]],
  ['baobab.svg', ['image/svg+xml', MARK]],
]);

const answerOf = (type: string, content: string): PageAnswer => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': 'no-cache' },
  body: Buffer.from(content),
});

/**
 * Serves a page around Swagger UI, whose files come from a separate application that does not listen. Its routes and
 * hooks cost the server nothing, and it is loaded when the page is first opened.
 *
 * @param appCode application code that the page fills in; with null, users type it
 */
export async function openPage(prefix: string, document: OpenApi, appCode: string | null) {
  const [{ default: fastify }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const app = fastify();
  // Relative to the description, so that calls also reach the server below a path prefix of a proxy.
  const servers = [{ url: '../' }];
  const specification = { document: { ...withoutSecretsInQuery(document), servers } as never };
  await app.register(swagger, { mode: 'static', specification });
  await app.register(swaggerUi, { routePrefix: prefix });
  await app.ready();

  return async (url: string, headers: Headers): Promise<PageAnswer> => {
    const [path = ''] = url.split('?', 1);
    if (path === prefix || path === `${prefix}/`) {
      return answerOf('text/html; charset=utf-8', referenceHtml(path.endsWith('/') ? '.' : `.${prefix}`, appCode));
    }
    const own = OWN_FILES.get(path.slice(`${prefix}/static/`.length));
    if (own !== undefined) return answerOf(...own);
    const answer = await app.inject({ method: 'GET', url, headers: textsOf(headers, ASKED) });
    return { status: answer.statusCode, headers: textsOf(answer.headers, ANSWERED), body: answer.rawPayload };
  };
}
