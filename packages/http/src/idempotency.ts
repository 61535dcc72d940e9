import { type KeyedAnswer, type KeyedRequest, parseIdempotencyKey } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REPLAYED_HEADER, sendJson } from './envelope.ts';

const HEADER = 'idempotency-key';

/**
 * The request with its idempotency key, for use cases that run once per key. Null when it has no `Idempotency-Key`.
 *
 * @throws `idempotency.key_invalid`
 */
export function keyedRequest(request: FastifyRequest): KeyedRequest | null {
  const header = request.headers[HEADER];
  if (header === undefined) return null;
  const key = parseIdempotencyKey(String(header));
  const [path = ''] = request.url.split('?', 1);
  return { key, request: `${request.method} ${path}\n${request.json?.text ?? ''}` };
}

/** Marks the reply if it is a replay. */
export function marked(reply: FastifyReply, answer: KeyedAnswer): FastifyReply {
  return answer.isReplay ? reply.header(REPLAYED_HEADER, 'true') : reply;
}

/** Sends the answer of a keyed request, and marks replays. @throws the failure that is replayed */
export function sendKeyed(reply: FastifyReply, answer: KeyedAnswer): FastifyReply {
  marked(reply, answer);
  if ('failure' in answer) throw answer.failure;
  return sendJson(reply, answer.data);
}
