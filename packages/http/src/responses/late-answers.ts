import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@baobab/core';
import type { FastifyReply } from 'fastify';

const RESPONSE = Symbol('response');
const REPLY = Symbol('reply');

interface TrackedResponse extends ServerResponse {
  /** Reply until it is sent. */
  [REPLY]?: FastifyReply | undefined;
}

interface TrackedSocket extends Socket {
  /** Response in progress on this connection, or the last one. */
  [RESPONSE]?: TrackedResponse;
}

/** Returns the response in progress on a connection. A pipelined request waits for the previous response. */
function responseOn(socket: Socket): TrackedResponse | undefined {
  const { [RESPONSE]: response } = socket as TrackedSocket;
  return response?.writableFinished ? undefined : response;
}

/** Registers a reply for `answerLate`. Called for every request, so it only sets properties. */
export function trackAnswer(reply: FastifyReply): void {
  const { socket } = reply.request.raw;
  if (responseOn(socket) !== undefined) return;
  const response: TrackedResponse = reply.raw;
  response[REPLY] = reply;
  (socket as TrackedSocket)[RESPONSE] = response;
}

/** Releases the reply when it is sent, so that an idle connection does not retain it or the request body. */
export function forgetAnswer({ raw }: FastifyReply): void {
  (raw as TrackedResponse)[REPLY] = undefined;
}

/** True if the response on this connection is partially written. */
export const isAnswering = (socket: Socket): boolean => responseOn(socket)?.headersSent ?? false;

/** True if the client is waiting: it has sent everything, or would have if we had read it. */
function isWaiting({ raw }: FastifyReply['request']): boolean {
  return raw.complete || raw.readableFlowing !== true;
}

/**
 * Handles an idle connection at its timeout. A client that waits for a response receives a failure; any other
 * connection is closed. A response in progress is left to its own limits.
 */
export function answerLate(socket: Socket): void {
  const reply = responseOn(socket)?.[REPLY];
  if (reply === undefined || reply.sent || !isWaiting(reply.request)) {
    socket.destroy();
    return;
  }
  reply.header('connection', 'close').send(new AppError('service.overdue'));
}
