import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Interval at which unused connections are looked for during a stop. Milliseconds. */
const LOOK_MS = 50;

/**
 * Closes connections that have carried nothing when the server closes. Node waits for them, because it counts only those
 * as idle that have carried a request; clients open them in advance, and again when a stream ends.
 *
 * @returns a function to be called right before the server is closed
 */
export function closeUnusedConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    if (!server.listening) return;
    /** Those that were unused when they were last looked at: a request may be on its way to the others. */
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
