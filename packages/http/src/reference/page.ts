import type { OpenApi } from './document.ts';

/** The page's response to a GET. */
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

/**
 * Serves the pages of @fastify/swagger-ui from an application of its own that does not listen. Its routes and hooks
 * cost the service nothing, and it is loaded when the page is first opened.
 */
export async function openPage(prefix: string, document: OpenApi) {
  const [{ default: fastify }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const app = fastify();
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: prefix,
    uiConfig: { docExpansion: 'none', filter: true, tryItOutEnabled: true, persistAuthorization: false },
  });
  await app.ready();

  return async (url: string, headers: Headers): Promise<PageAnswer> => {
    const answer = await app.inject({ method: 'GET', url, headers: textsOf(headers, ASKED) });
    return { status: answer.statusCode, headers: textsOf(answer.headers, ANSWERED), body: answer.rawPayload };
  };
}
