import type { Server } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** When a connection was opened, or last carried an answer: what comes next on it was sent after that. */
const marks = new WeakMap<object, number>();

export function watchConnections(server: Server): void {
  server.on('connection', (socket) => marks.set(socket, performance.now()));
}

/** To be called with each answer. @param now of `performance.now()` */
export function markAnswer({ raw }: FastifyRequest, now: number): void {
  marks.set(raw.socket, now);
}

/** No earlier than this the request was sent, of `performance.now()`. */
export const sentAfter = ({ raw, startedAt }: FastifyRequest): number => marks.get(raw.socket) ?? startedAt;
