import type { FastifyReply, FastifyRequest } from 'fastify';

import { LARGE_ANSWER } from './unread.ts';

/** On answers that were given before, to the same request with the same key. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What a page of a list adds to the envelope. */
export interface Paging {
  readonly more: boolean;
  /** Where the next page begins; null when there is none. */
  readonly next: string | null;
}

/** `?call_id=x` comes back with every answer, so that a client can tell its calls apart. */
export function callId({ query }: FastifyRequest): string | null {
  const value = (query as Record<string, unknown> | null)?.call_id;
  return typeof value === 'string' ? value : null;
}

/** A success as JSON text, of data that is JSON text. */
export function okJson(data: string, status: number, id: string | null): string {
  return `{"result":"ok","data":${data},${tailOf(status, id)}`;
}

const tail = (request: FastifyRequest, status: number) => tailOf(status, callId(request));

function tailOf(status: number, id: string | null): string {
  return `"http_code":${status}${id === null ? '' : `,"call_id":${JSON.stringify(id)}`}}`;
}

/** @throws `service.answers_unread` */
function sendText(reply: FastifyReply, text: string): FastifyReply {
  if (text.length >= LARGE_ANSWER) reply.server.unread.add(reply, text.length);
  return reply.type(JSON_TYPE).send(text);
}

/** Answers with data that is JSON text already. */
export function sendJson(reply: FastifyReply, data: string, status = 200): FastifyReply {
  return sendText(reply.status(status), okJson(data, status, callId(reply.request)));
}

/** Answers with data; without a payload it is the empty text. */
export function sendData(reply: FastifyReply, data: unknown = '', status = 200): FastifyReply {
  return sendJson(reply, JSON.stringify(data), status);
}

/** Answers with one page of a list, which is JSON text already. */
export function sendPage(reply: FastifyReply, data: string, { more, next }: Paging): FastifyReply {
  const cursor = next === null ? '' : `"next":"${next}",`;
  reply.status(200).header('X-BB-MORE', String(more));
  return sendText(reply, `{"result":"ok","data":${data},"more":${more},${cursor}${tail(reply.request, 200)}`);
}

export function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.status(204).send();
}
