import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** While connections arrive, a turn of the event loop begins requests for this long. Milliseconds. */
const TURN_MS = 2;

/**
 * Passes requests to the listener, and keeps turns of the event loop short while connections arrive. Node accepts one
 * connection in each turn, so new ones would wait for seconds while hundreds of busy ones make turns long. Requests that
 * find their turn over begin in a later one, in the order in which they came (ADR 31).
 */
export function listenInTurns(server: Server, listener: RequestListener): void {
  let hasArrived = false;
  let hasArrivedBefore = false;
  /** Whether connections have arrived in both of the last two turns. One alone delays nothing. */
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

  /** An immediate of its own for each request: Node finishes what one does at once before it runs the next. */
  function begin(request: IncomingMessage, response: ServerResponse): void {
    if (isOver()) setImmediate(begin, request, response);
    // Of a client that has gone meanwhile, not even the address is known.
    else if (!request.socket.destroyed) listener(request, response);
  }

  server.on('request', begin);
  server.on('connection', () => {
    if (!hasArrived && !hasArrivedBefore) setImmediate(beginTurn);
    hasArrived = true;
  });
}
