import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { LongRequests } from '@baobab/http';

/** Node has one timeout for the whole server and reports it to the client error handler, which calls `has`. */
export function createLongRequests(): LongRequests & { has(socket: Socket): boolean } {
  // A counter, because the next request on a connection may begin before the end of the last one is noticed.
  const inProgress = new WeakMap<Socket, number>();
  const change = ({ socket }: IncomingMessage, by: number) => {
    inProgress.set(socket, (inProgress.get(socket) ?? 0) + by);
  };
  return {
    add: (request) => change(request, 1),
    delete: (request) => change(request, -1),
    has: (socket) => (inProgress.get(socket) ?? 0) > 0,
  };
}
