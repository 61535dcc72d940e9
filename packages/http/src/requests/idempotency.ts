import {
  type Idempotency,
  type KeyedAnswer,
  type KeyedRequest,
  parseIdempotencyKey,
  type Transact,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REPLAYED_HEADER, sendText } from '../responses/envelope.ts';
import { JSON_TYPE } from './bodies.ts';
import { mediaTypeOf } from './media-type.ts';

const HEADER = 'idempotency-key';

/**
 * Returns the request with its idempotency key, for use cases that run once per key. Null without an `Idempotency-Key`.
 *
 * @throws `idempotency.key_invalid`
 */
export function keyedRequest(request: FastifyRequest): KeyedRequest | null {
  const header = request.headers[HEADER];
  if (header === undefined) return null;
  const key = parseIdempotencyKey(String(header));
  const [path = ''] = request.url.split('?', 1);
  const text = request.json?.text ?? '';
  // The same text is another request as another kind of patch. JSON has no mark, as in keys of former versions.
  const type = mediaTypeOf(request.headers['content-type']);
  const mark = request.json === null || type === JSON_TYPE ? '' : ` ${type}`;
  return { key, request: `${request.method} ${path}${mark}\n${text}` };
}

/** Returns the idempotency key of a request, or null. @throws `idempotency.key_invalid` */
export const keyOf = (request: FastifyRequest): string | null => keyedRequest(request)?.key ?? null;

/** Marks the reply if it is a replay. */
export function marked(reply: FastifyReply, answer: Pick<KeyedAnswer, 'isReplay'>): FastifyReply {
  return answer.isReplay ? reply.header(REPLAYED_HEADER, 'true') : reply;
}

/** Sends the response of a keyed request and marks replays. @throws the replayed failure */
export function sendKeyed(reply: FastifyReply, answer: KeyedAnswer): FastifyReply {
  marked(reply, answer);
  if ('failure' in answer) throw answer.failure;
  return sendText(reply, answer.data);
}

/** Dependencies of routes with keyed writes. */
export interface KeyedRoutes {
  readonly idempotency: Idempotency;
}

/**
 * Runs a write in the transaction of its request's idempotency key, so that it takes effect once. Without a key, the
 * use case creates its own transaction. Marks replays.
 *
 * @throws `idempotency.*`, errors of `write`
 */
export async function once<T>(
  { idempotency }: KeyedRoutes,
  reply: FastifyReply,
  write: (transact: Transact | undefined) => Promise<T>,
): Promise<T> {
  const { request } = reply;
  const keyed = keyedRequest(request);
  if (keyed === null) return write(undefined);
  const attempt = idempotency.attempt(request.actor, keyed);
  try {
    return await write(attempt.transact);
  } finally {
    marked(reply, { isReplay: attempt.isReplay() });
  }
}
