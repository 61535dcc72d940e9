import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** Time limit for starting requests in a turn of the event loop while connections arrive, in milliseconds. */
const TURN_MS = 2;

/**
 * Passes requests to the listener, and keeps turns of the event loop short while connections arrive. Node accepts one
 * connection per turn, so new ones would wait for seconds if hundreds of busy ones make turns long. Requests that
 * exceed the limit start in a later turn, in their order of arrival (ADR 31).
 */
export function listenInTurns(server: Server, listener: RequestListener): void {
  let hasArrived = false;
  let hasArrivedBefore = false;
  /** True if connections arrived in both of the last two turns. A single arrival delays nothing. */
  let isBusy = false;
  let turnBegan = 0;

  function beginTurn(): void {
    turnBegan = performance.now();
    isBusy = hasArrivedBefore && hasArrived;
    hasArrivedBefore = hasArrived;
    hasArrived = false;
    if (hasArrivedBefore) setImmediate(beginTurn);
  }

  const isOver = () => isBusy && performance.now() - turnBegan > TURN_MS;

  /** Uses a separate immediate for each request: Node finishes the synchronous work of one before it runs the next. */
  function begin(request: IncomingMessage, response: ServerResponse): void {
    if (isOver()) setImmediate(begin, request, response);
    // The address of a client that has disconnected is unknown.
    else if (!request.socket.destroyed) listener(request, response);
  }

  server.on('request', begin);
  server.on('connection', () => {
    if (!hasArrived && !hasArrivedBefore) setImmediate(beginTurn);
    hasArrived = true;
  });
}
