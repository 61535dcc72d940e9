import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

const MARK = Symbol('mark');

interface MarkedSocket extends Socket {
  /** When the connection was opened or last carried a response. Its next request was sent after that. */
  [MARK]?: number;
}

export function watchConnections(server: Server): void {
  server.on('connection', (socket: MarkedSocket) => {
    socket[MARK] = performance.now();
  });
}

/** Called with each response. @param now value of `performance.now()` */
export function markAnswer({ raw }: FastifyRequest, now: number): void {
  (raw.socket as MarkedSocket)[MARK] = now;
}

/** A lower limit for when the request was sent, on the clock of `performance.now()`. */
export const sentAfter = ({ raw, startedAt }: FastifyRequest): number =>
  (raw.socket as MarkedSocket)[MARK] ?? startedAt;
