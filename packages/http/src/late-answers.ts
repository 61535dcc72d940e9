import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@baobab/core';
import type { FastifyReply } from 'fastify';

const REPLY = Symbol('reply');

interface TrackedResponse extends ServerResponse {
  [REPLY]?: FastifyReply;
}

/** Node's internal record, on a socket, of the response in progress. */
interface AnsweringSocket extends Socket {
  readonly _httpMessage?: TrackedResponse | null;
}

/** Registers a reply for `answerLate`. Called for every request, so it only sets a property. */
export function trackAnswer(reply: FastifyReply): void {
  (reply.raw as TrackedResponse)[REPLY] = reply;
}

/** Whether the client waits for us: it has sent everything, or would have if we had read it. */
function isWaiting({ raw }: FastifyReply['request']): boolean {
  return raw.complete || raw.readableFlowing !== true;
}

/**
 * Handles an idle connection that has reached its timeout: a client that waits for a response gets a failure, and any
 * other connection is closed. A response in progress is left alone: its own limits end it.
 */
export function answerLate(socket: AnsweringSocket): void {
  const answer = socket._httpMessage;
  const reply = answer?.[REPLY];
  if (!answer || answer.headersSent || reply === undefined || reply.sent || !isWaiting(reply.request)) {
    socket.destroy();
    return;
  }
  reply.header('connection', 'close').send(new AppError('service.overdue'));
}
