import { AppError } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadAnswers;
  }
}

/** Responses of at least this many characters are counted. The socket buffers of the system hold smaller ones. */
export const LARGE_ANSWER = 65_536;
/** The fraction of the limit that one caller may use. */
const SHARE = 1 / 4;

/** Responses in this process's memory that clients have not read yet. */
export interface UnreadAnswers {
  /** Called before much data is read for a response. @throws `service.answers_unread` when the limit is reached */
  assertRoom(request: FastifyRequest): void;
  /**
   * Counts a response until it has been sent or its connection has closed.
   *
   * @throws `service.answers_unread` when the limit is reached and the request changed nothing
   */
  add(reply: FastifyReply, length: number): void;
  readonly bytes: number;
}

const callerOf = ({ actor, ip }: FastifyRequest) => actor?.user?.id ?? ip;

/** Each caller has its own share, so that a caller that leaves responses unread blocks nobody else. */
export function createUnreadAnswers(maxBytes: number): UnreadAnswers {
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
    assertRoom(request) {
      if (bytes > 0) assertRoomFor(callerOf(request));
    },
    add(reply, length) {
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
    get bytes() {
      return bytes;
    },
  };
}
