import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Interval of the search for unused connections during a stop, in milliseconds. */
const LOOK_MS = 50;

/**
 * Closes connections that have carried no data when the server closes. Node waits for them, because it considers only
 * connections with a previous request idle. Clients open such connections in advance, and again when a stream ends.
 *
 * @returns function to call right before the server is closed
 */
export function closeUnusedConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    if (!server.listening) return;
    /** Connections that were unused at the last check: a request may be on its way on any other. */
    let before = new Set<Socket>();
    const looking = setInterval(() => {
      const unused = new Set(Array.from(open).filter(({ bytesRead }) => bytesRead === 0));
      for (const socket of unused) if (before.has(socket)) socket.destroy();
      before = unused;
    }, LOOK_MS);
    looking.unref();
    server.once('close', () => clearInterval(looking));
  };
}
