import type { FastifyReply, FastifyRequest } from 'fastify';

import { LARGE_ANSWER } from '../callers/memory.ts';

/** Header of replayed responses: a request with this idempotency key was answered before. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Paging fields that a list adds to the envelope. */
export interface Paging {
  readonly more: boolean;
  /** Cursor of the next page; null on the last page. */
  readonly next: string | null;
  /** Number of rows on all pages; null or absent unless requested. */
  readonly total?: number | null;
}

/** Returns the `call_id` of the query. Every response repeats it, so that clients can match responses to calls. */
export function callId({ query }: FastifyRequest): string | null {
  const value = (query as Record<string, unknown> | null)?.call_id;
  return typeof value === 'string' ? value : null;
}

/**
 * Returns the envelope of a success as JSON text.
 *
 * @param data JSON text
 * @param paging members after the data, as JSON text with a comma after each
 */
export function okJson(data: string, status: number, id: string | null, paging = ''): string {
  const call = id === null ? '' : `,"call_id":${JSON.stringify(id)}`;
  return `{"result":"ok","data":${data},${paging}"http_code":${status}${call}}`;
}

/**
 * Sends a success.
 *
 * @param data JSON text
 * @param paging as in `okJson`
 * @throws `service.answers_unread`
 */
export function sendJson(reply: FastifyReply, data: string, status = 200, paging = ''): FastifyReply {
  const text = okJson(data, status, callId(reply.request), paging);
  if (text.length >= LARGE_ANSWER) reply.server.unread.add(reply, text.length);
  return reply.status(status).type(JSON_TYPE).send(text);
}

/** Sends a success. Without data, the envelope contains the empty string. */
export function sendData(reply: FastifyReply, data: unknown = '', status = 200): FastifyReply {
  return sendJson(reply, JSON.stringify(data), status);
}

/** Sends a success without data once `work` has succeeded. */
export async function sendDone(reply: FastifyReply, work: Promise<unknown>, status = 200): Promise<FastifyReply> {
  await work;
  return sendData(reply, '', status);
}

/** Sends one page of a list. @param data JSON text */
export function sendPage(reply: FastifyReply, data: string, { more, next, total = null }: Paging): FastifyReply {
  const cursor = next === null ? '' : `"next":"${next}",`;
  const sum = total === null ? '' : `"total":${total},`;
  reply.header('x-bb-more', more ? 'true' : 'false');
  return sendJson(reply, data, 200, `"more":${more},${cursor}${sum}`);
}

export function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.status(204).send();
}

/** Sends a success with data, or without content if `data` is empty. @param data JSON text */
export function sendText(reply: FastifyReply, data: string): FastifyReply {
  return data === '' ? sendNothing(reply) : sendJson(reply, data);
}
