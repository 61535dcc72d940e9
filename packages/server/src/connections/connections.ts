import { type RequestListener, Server } from 'node:http';
import type { Connections } from '@baobab/http';
import { listenInTurns } from './arrivals.ts';
import { createClientErrorHandler, refuseConnect } from './client-errors.ts';
import { createLongRequests } from './long-requests.ts';
import { closeUnusedConnections } from './unused-connections.ts';

/**
 * Idle time after which a connection is closed, in milliseconds: a half-sent request ends with it, and a request that
 * waits for its response gets 503. It is less than the minute that clients and proxies usually wait, and more than the
 * timeouts of databases and blob stores, whose failures say more.
 */
const IDLE_CONNECTION_MS = 50_000;
/** Limit on the time that a request takes to arrive, however steadily it trickles in. Milliseconds. */
const REQUEST_LIMIT_MS = 600_000;
/** Keep-alive timeout: how long a connection without a request stays open. Milliseconds. */
const KEEP_ALIVE_MS = 72_000;

class HttpServer extends Server {
  readonly #closeUnused = closeUnusedConnections(this);

  override close(callback?: (error?: Error) => void): this {
    this.#closeUnused();
    return super.close(callback);
  }
}

/** The server of the program. */
function createServer(handler: RequestListener): Server {
  const server = new HttpServer({
    requestTimeout: REQUEST_LIMIT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The interface checks the Host header: Node's refusal has no envelope.
    requireHostHeader: false,
  });
  listenInTurns(server, handler);
  refuseConnect(server);
  return server.setTimeout(IDLE_CONNECTION_MS);
}

export function createConnections(): Connections {
  const longRequests = createLongRequests();
  return { createServer, onClientError: createClientErrorHandler(longRequests.has), longRequests };
}
