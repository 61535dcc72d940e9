import { AppError } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadAnswers;
  }
}

/** Minimum size of counted responses, in characters. Smaller ones fit in the socket buffers of the operating system. */
export const LARGE_ANSWER = 65_536;

export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>;

/** Share of the limit that one caller may use. */
const SHARE = 1 / 4;

const callerOf = ({ actor, ip }: FastifyRequest) => actor?.user?.id ?? ip;

/**
 * Creates the count of the responses in this process's memory that clients have not read yet. Each caller has its own
 * share, so that unread responses of one caller do not block the others.
 */
export function createUnreadAnswers(maxBytes: number) {
  const byCaller = new Map<string, number>();
  let bytes = 0;

  function change(caller: string, by: number): void {
    bytes += by;
    const left = (byCaller.get(caller) ?? 0) + by;
    if (left === 0) byCaller.delete(caller);
    else byCaller.set(caller, left);
  }

  function assertRoomFor(caller: string): void {
    if (bytes < maxBytes && (byCaller.get(caller) ?? 0) < maxBytes * SHARE) return;
    throw new AppError('service.answers_unread');
  }

  return {
    /** Called before much data is read for a response. @throws `service.answers_unread` if the limit is reached */
    assertRoom(request: FastifyRequest): void {
      if (bytes > 0) assertRoomFor(callerOf(request));
    },
    /**
     * Counts a response until it is sent or its connection is closed.
     *
     * @throws `service.answers_unread` if the limit is reached and the request changed nothing
     */
    add(reply: FastifyReply, length: number): void {
      const { request, raw } = reply;
      const caller = callerOf(request);
      if (request.method === 'GET') assertRoomFor(caller);
      change(caller, length);
      let isCounted = true;
      function end(): void {
        if (isCounted) change(caller, -length);
        isCounted = false;
      }
      raw.once('finish', end).once('close', end);
    },
    /** Size of the responses that are not read yet, in characters. */
    get bytes() {
      return bytes;
    },
  };
}
