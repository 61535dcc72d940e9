import type { FastifyReply } from 'fastify';
import { CORS_PAGE_HEADERS } from './cors.ts';

/**
 * Default caching headers: a response is for one caller only. They also go to anonymous callers and with failures,
 * which a shared cache could otherwise give to a signed-in user. `Vary` names the headers that identify a caller, and
 * `Origin`, which decides whether CORS headers for pages are sent.
 */
export const FOR_CALLER_HEADERS = {
  'cache-control': 'private, no-store',
  vary: 'Authorization, X-BB-SESSION, X-SERVICE-APPCODE, X-BAASBOX-APPCODE, Origin',
} as const;

/**
 * Makes the head of a response the same for everybody. Shared caches give it to other callers (RFC 9111, section 3.5),
 * so it neither names the caller nor varies with it.
 */
export function forgetCaller(reply: FastifyReply): void {
  reply.removeHeader('BB-USERNAME').removeHeader('vary').headers(CORS_PAGE_HEADERS);
}
