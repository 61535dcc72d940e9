import type { Storage } from '@baobab/core';
import type { FastifyInstance } from 'fastify';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const FIRST_FAILURE = 400;

/**
 * Lets a write be acknowledged only when every process reads it in the lists of the user who wrote. What is written stays
 * written when the others cannot be told, so the answer stays the same then.
 */
export function acknowledgeWrites(app: FastifyInstance, acknowledge: NonNullable<Storage['acknowledge']>): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const user = request.actor?.user ?? null;
    const isWrite = !READING.has(request.method) && reply.statusCode < FIRST_FAILURE;
    const telling = user === null || !isWrite ? null : acknowledge(user.id);
    if (telling === null) done();
    else
      telling.then(
        () => done(),
        () => done(),
      );
  });
}
