import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadAnswers;
  }
}

/** Responses of at least this many characters are counted. The socket buffers of the system hold smaller ones. */
export const LARGE_ANSWER = 65_536;

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
}
