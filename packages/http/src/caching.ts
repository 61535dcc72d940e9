import type { FastifyReply } from 'fastify';
import { CORS_PAGE_HEADERS } from './cors.ts';

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
