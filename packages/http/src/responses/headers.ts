import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * Default caching headers: a response is for one caller only. They are also sent to anonymous callers and with
 * failures, which a shared cache could otherwise return to a signed-in user. `Vary` names the headers that identify a
 * caller, and `Origin`, which controls the CORS headers.
 */
export const FOR_CALLER_HEADERS = {
  'cache-control': 'private, no-store',
  vary: 'Authorization, X-BB-SESSION, X-SERVICE-APPCODE, X-BAASBOX-APPCODE, Origin',
} as const;

/**
 * Removes the caller from the response headers. Shared caches return them to other callers (RFC 9111, section 3.5), so
 * they must neither name the caller nor vary with it.
 */
export function forgetCaller(reply: FastifyReply): void {
  reply.removeHeader('BB-USERNAME').removeHeader('vary').headers(CORS_PAGE_HEADERS);
}

/**
 * Pages of any origin may call the API (Fetch standard, CORS protocol). Credentials are headers that a page has to
 * know, never cookies, so another origin gains nothing without them.
 */
export const CORS_HEADERS = { 'access-control-allow-origin': '*' } as const;

/** Sent only to pages, whose requests name their origin. Apps and servers can read every header anyway. */
export const CORS_PAGE_HEADERS = {
  'access-control-expose-headers':
    'X-BB-SESSION, BB-USERNAME, X-BB-MORE, X-Request-Id, Idempotency-Replayed, Retry-After, Allow, Accept-Encoding, ' +
    'Content-Disposition, Content-Length, Content-Range, Accept-Ranges, ETag, Date',
} as const;

/** Methods that routes may serve, in addition to `OPTIONS`. */
export const SERVED_METHODS = 'GET, HEAD, PUT, PATCH, POST, DELETE';
const MAX_AGE_S = 86_400;

/** Answers CORS preflight requests without checking credentials: browsers send none with them. */
export function registerPreflight(app: FastifyInstance): void {
  app.options('*', (request, reply) => {
    const wanted = request.headers['access-control-request-headers'];
    reply.header('access-control-allow-methods', SERVED_METHODS).header('access-control-max-age', String(MAX_AGE_S));
    // Echoes the requested headers instead of "*", which does not cover Authorization.
    if (wanted !== undefined) reply.header('access-control-allow-headers', wanted);
    return reply.status(204).header('vary', 'Access-Control-Request-Headers').send();
  });
}
