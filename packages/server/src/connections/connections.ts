import { type RequestListener, Server, type ServerOptions } from 'node:http';
import type { Connections } from '@baobab/http';
import { listenInTurns } from './arrivals.ts';
import { createClientErrorHandler, refuseConnect } from './client-errors.ts';
import { createLongRequests } from './long-requests.ts';
import { closeUnusedConnections } from './unused-connections.ts';

/**
 * Idle time after which a connection is closed, in milliseconds. This ends a partial request, and a request that waits
 * for its response receives 503. It is less than the minute that clients and proxies usually wait, and more than the
 * timeouts of databases and blob stores, whose failures are more specific.
 */
const IDLE_CONNECTION_MS = 50_000;
/** Maximum time for a request to arrive, even if bytes keep arriving. Milliseconds. */
const REQUEST_LIMIT_MS = 600_000;
/** Maximum time for the headers of a request to arrive, in milliseconds. */
const HEADERS_LIMIT_MS = 50_000;
/** Check interval of these limits, which may be exceeded by as much. Milliseconds. */
const CHECK_INTERVAL_MS = 5_000;

class HttpServer extends Server {
  readonly #closeUnused = closeUnusedConnections(this);

  override close(callback?: (error?: Error) => void): this {
    this.#closeUnused();
    return super.close(callback);
  }
}

/** Limits in milliseconds. Tests shorten all of them. */
export type ConnectionLimits = Pick<
  ServerOptions,
  'keepAliveTimeout' | 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'
>;

/** Creates the HTTP server of the program. */
function createServer(handler: RequestListener, limits: ConnectionLimits): Server {
  const server = new HttpServer({
    headersTimeout: HEADERS_LIMIT_MS,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // The API checks the Host header, because Node's failure has no envelope.
    requireHostHeader: false,
    // Some clients offer HTTP/2 with each request. Those requests are served as HTTP/1.1.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
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
