import type { Storage } from '@baobab/core';
import type { FastifyInstance } from 'fastify';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const FIRST_FAILURE = 400;

/**
 * Delays the response to a write until every process includes the write in the lists of its user. If the other
 * processes cannot be notified, the write remains stored and the response stays the same.
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
