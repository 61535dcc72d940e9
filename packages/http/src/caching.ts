import type { FastifyReply } from 'fastify';
import { CORS_PAGE_HEADERS } from './cors.ts';

/**
 * On every answer that does not say otherwise: it is made for one caller. Also on those to anonymous callers and on
 * failures, which a shared cache could give to somebody who is signed in. `Vary` names what identifies a caller, and
 * `Origin`, which decides whether CORS headers for pages are sent.
 */
export const FOR_CALLER_HEADERS = {
  'cache-control': 'private, no-store',
  vary: 'Authorization, X-BB-SESSION, X-SERVICE-APPCODE, X-BAASBOX-APPCODE, Origin',
} as const;

/**
 * Makes the head of an answer the same for everybody: caches give it to others (RFC 9111, section 3.5), so it neither
 * names the caller nor varies with who asks.
 */
export function forgetCaller(reply: FastifyReply): void {
  reply.removeHeader('BB-USERNAME').removeHeader('vary').headers(CORS_PAGE_HEADERS);
}
