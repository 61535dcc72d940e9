import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@baobab/core';
import type { FastifyReply } from 'fastify';

const REPLY = Symbol('reply');

interface TrackedResponse extends ServerResponse {
  [REPLY]?: FastifyReply;
}

/** Node's own note, on a socket, of the answer that is under way. */
interface AnsweringSocket extends Socket {
  readonly _httpMessage?: TrackedResponse | null;
}

/** Makes the answer known to `answerLate`. Called for every request: it only sets a property. */
export function trackAnswer(reply: FastifyReply): void {
  (reply.raw as TrackedResponse)[REPLY] = reply;
}

/** Whether the client has sent all, or would have if we had read it. */
function isWaiting({ raw }: FastifyReply['request']): boolean {
  return raw.complete || raw.readableFlowing !== true;
}

/**
 * What to do with a connection on which nothing has moved for as long as a server allows: a client that waits for us is
 * told that it was in vain, and every other connection is closed. What still works on the answer is left alone: its own
 * limits end it.
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
