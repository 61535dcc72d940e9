import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@baobab/core';
import type { FastifyReply } from 'fastify';

const RESPONSE = Symbol('response');
const REPLY = Symbol('reply');

interface TrackedResponse extends ServerResponse {
  /** The reply until it is sent. */
  [REPLY]?: FastifyReply | undefined;
}

interface TrackedSocket extends Socket {
  /** The response in progress on this connection, or the last one. */
  [RESPONSE]?: TrackedResponse;
}

/** The response in progress on a connection. A pipelined request waits until the response before it is finished. */
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

/** Called when the reply is sent: an idle connection keeps no reply, and with it no body of a request. */
export function forgetAnswer({ raw }: FastifyReply): void {
  (raw as TrackedResponse)[REPLY] = undefined;
}

/** Whether a part of a response has been written to this connection, and the rest has not. */
export const isAnswering = (socket: Socket): boolean => responseOn(socket)?.headersSent ?? false;

/** True if the client is waiting: it has sent everything, or would have if we had read it. */
function isWaiting({ raw }: FastifyReply['request']): boolean {
  return raw.complete || raw.readableFlowing !== true;
}

/**
 * Handles an idle connection that has reached its timeout: a client that waits for a response gets a failure, and any
 * other connection is closed. A response in progress is left alone: its own limits end it.
 */
export function answerLate(socket: Socket): void {
  const reply = responseOn(socket)?.[REPLY];
  if (reply === undefined || reply.sent || !isWaiting(reply.request)) {
    socket.destroy();
    return;
  }
  reply.header('connection', 'close').send(new AppError('service.overdue'));
}
