import { AppError } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadAnswers;
  }
}

/** Characters from which on an answer is counted: smaller ones fit into what the system keeps for a connection. */
export const LARGE_ANSWER = 65_536;
/** One caller may have this part of the room. */
const SHARE = 1 / 4;

/** The answers in the memory of this process that clients have not read yet. */
export interface UnreadAnswers {
  /** To be called before much is read for an answer. @throws `service.answers_unread` when there is no room for more */
  assertRoom(request: FastifyRequest): void;
  /**
   * Counts an answer until it has been sent, or its connection is gone.
   *
   * @throws `service.answers_unread` when there is no room for it and the request changed nothing
   */
  add(reply: FastifyReply, length: number): void;
  readonly bytes: number;
}

const callerOf = ({ actor, ip }: FastifyRequest) => actor?.user?.id ?? ip;

/** Each caller has a share, so that who leaves answers unread takes the room from nobody else. */
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
