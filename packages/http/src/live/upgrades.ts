import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '@baobab/core';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';

/** Subprotocol of `GET /live`. */
const PROTOCOL = 'baobab.v1';
/** Maximum size of a message from a client, in bytes. A longer one closes the socket with 1009. */
const MAX_MESSAGE_BYTES = 65_536;
/** Maximum number of frames of a message, and of packets of a frame, because each takes memory, however small it is. */
const MAX_PARTS = { frames: 128, packets: 1_024 } as const;

/** A WebSocket with the connection below it. */
export interface UpgradedSocket {
  readonly socket: WebSocket;
  readonly connection: Duplex;
}

export type Upgrades = ReturnType<typeof createUpgrades>;

/**
 * Passes WebSocket handshakes through the routes, so that they are authenticated, observed and refused like every other
 * request.
 */
export function createUpgrades() {
  const heads = new WeakMap<IncomingMessage, Buffer>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    maxFragments: MAX_PARTS.frames,
    maxBufferedChunks: MAX_PARTS.packets,
    // A deflate context takes more memory than everything else of an idle socket.
    perMessageDeflate: false,
    // Pongs are sent only to clients that read them.
    autoPong: false,
    handleProtocols: (offered) => offered.has(PROTOCOL) && PROTOCOL,
  });

  return {
    listen(app: FastifyInstance): void {
      app.server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
        // The server no longer handles errors of this connection; a close follows each of them.
        connection.on('error', () => undefined);
        heads.set(request, head);
        const response = new ServerResponse(request);
        response.shouldKeepAlive = false;
        response.assignSocket(connection as Socket);
        response.once('finish', () => connection.end());
        app.routing(request, response);
      });
    },

    /** True if the request is a handshake. */
    isHandshake: (request: IncomingMessage): boolean => heads.has(request),

    /** Completes the handshake. Resolves to null if the client has disconnected. @throws `input.invalid` */
    accept(request: IncomingMessage, response: ServerResponse): Promise<UpgradedSocket | null> {
      const connection = request.socket;
      const head = heads.get(request) ?? Buffer.alloc(0);
      response.detachSocket(connection);
      return new Promise((resolve, reject) => {
        const refused = () => resolve(null);
        connection.once('close', refused);
        const invalid = ({ message: detail }: Error) => {
          connection.off('close', refused);
          response.assignSocket(connection);
          reject(new AppError('input.invalid', { detail }));
        };
        server.once('wsClientError', invalid);
        server.handleUpgrade(request, connection, head, (socket) => {
          connection.off('close', refused);
          resolve({ socket, connection });
        });
        // The handshake has been checked by now.
        server.off('wsClientError', invalid);
      });
    },
  };
}
