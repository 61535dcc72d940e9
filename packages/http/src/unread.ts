import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadAnswers;
  }
}

/** Minimum size of counted responses, in characters. Smaller ones fit in the socket buffers of the operating system. */
export const LARGE_ANSWER = 65_536;

/** Responses in this process's memory that clients have not read yet. */
export interface UnreadAnswers {
  /** Called before much data is read for a response. @throws `service.answers_unread` if the limit is reached */
  assertRoom(request: FastifyRequest): void;
  /**
   * Counts a response until it is sent or its connection is closed.
   *
   * @throws `service.answers_unread` if the limit is reached and the request changed nothing
   */
  add(reply: FastifyReply, length: number): void;
}
