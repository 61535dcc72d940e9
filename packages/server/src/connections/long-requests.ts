import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { LongRequests } from '@baobab/http';

/** Node has one timeout for the whole server and reports it to the handler of client errors, which asks `has`. */
export function createLongRequests(): LongRequests & { has(socket: Socket): boolean } {
  // A count, because the next request on a connection may begin before the end of the last one has been noticed.
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
