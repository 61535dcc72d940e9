import { type RequestListener, Server, type ServerOptions } from 'node:http';
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
/** Limit on the time that the headers of a request take to arrive. Milliseconds. */
const HEADERS_LIMIT_MS = 50_000;
/** Interval of the checks of these limits, which is the longest time by which they are exceeded. Milliseconds. */
const CHECK_INTERVAL_MS = 5_000;
/** Keep-alive timeout: how long a connection without a request stays open. Milliseconds. */
const KEEP_ALIVE_MS = 72_000;

class HttpServer extends Server {
  readonly #closeUnused = closeUnusedConnections(this);

  override close(callback?: (error?: Error) => void): this {
    this.#closeUnused();
    return super.close(callback);
  }
}

/** Limits that tests shorten. Milliseconds. */
export type ConnectionLimits = Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>;

/** The server of the program. */
function createServer(handler: RequestListener, limits: ConnectionLimits): Server {
  const server = new HttpServer({
    headersTimeout: HEADERS_LIMIT_MS,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The interface checks the Host header: Node's refusal has no envelope.
    requireHostHeader: false,
    ...limits,
  });
  listenInTurns(server, handler);
  refuseConnect(server);
  return server.setTimeout(IDLE_CONNECTION_MS);
}

export function createConnections(limits: ConnectionLimits = {}): Connections {
  const longRequests = createLongRequests();
  const create = (handler: RequestListener) => createServer(handler, limits);
  return { createServer: create, onClientError: createClientErrorHandler(longRequests.has), longRequests };
}
