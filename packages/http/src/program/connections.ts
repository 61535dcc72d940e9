import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may take longer to arrive: uploads have their own limits. */
export interface LongRequests {
  add(request: IncomingMessage): void;
  delete(request: IncomingMessage): void;
}

/** Handling of the connections on which requests arrive. */
export interface Connections {
  /** Creates the server. It must not require the header `Host`: that failure would have no envelope. */
  createServer(handler: RequestListener): Server;
  /** Handles failures that occur before there is a request. */
  onClientError(error: Error, socket: Socket): void;
  readonly longRequests: LongRequests;
}
