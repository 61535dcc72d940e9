import { AppError } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, createShares } from '../callers/shares.ts';
import { afterAnswer } from './after-answer.ts';

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadAnswers;
  }
}

/** Minimum size of counted responses, in characters. Smaller ones fit in the socket buffers of the operating system. */
export const LARGE_ANSWER = 65_536;

export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>;

/**
 * Creates the count of the responses in this process's memory that clients have not read yet. Each caller has its own
 * share, so that unread responses of one caller do not block the others.
 */
export function createUnreadAnswers(maxBytes: number) {
  const shares = createShares(maxBytes);

  function assertRoomFor(caller: string): void {
    if (!shares.hasRoom(caller)) throw new AppError('service.answers_unread');
  }

  return {
    /** Called before much data is read for a response. @throws `service.answers_unread` if the limit is reached */
    assertRoom(request: FastifyRequest): void {
      if (shares.bytes > 0) assertRoomFor(callerOf(request));
    },
    /**
     * Counts a response until it is sent or its connection is closed.
     *
     * @throws `service.answers_unread` if the limit is reached and the request changed nothing
     */
    add(reply: FastifyReply, length: number): void {
      const { request } = reply;
      const caller = callerOf(request);
      if (request.method === 'GET') assertRoomFor(caller);
      shares.change(caller, length);
      afterAnswer(reply, () => shares.change(caller, -length));
    },
    /** Size of the responses that are not read yet, in characters. */
    get bytes() {
      return shares.bytes;
    },
  };
}
