import type { Server } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** When each connection was opened or last carried a response. Its next request was sent after that. */
const marks = new WeakMap<object, number>();

export function watchConnections(server: Server): void {
  server.on('connection', (socket) => marks.set(socket, performance.now()));
}

/** Called with each response. @param now value of `performance.now()` */
export function markAnswer({ raw }: FastifyRequest, now: number): void {
  marks.set(raw.socket, now);
}

/** A lower limit for when the request was sent, on the clock of `performance.now()`. */
export const sentAfter = ({ raw, startedAt }: FastifyRequest): number => marks.get(raw.socket) ?? startedAt;
