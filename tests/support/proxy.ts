import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './ports.ts';

/** A proxy between a program and its database, so that their connection can be cut and restored. */
export interface TcpProxy {
  readonly port: number;
  /** Closes all connections and accepts no new ones. */
  cut(): Promise<void>;
  /** Resets all connections, like the system of a killed server. */
  reset(): void;
  /** Stops forwarding, but keeps all connections open. */
  freeze(): void;
  mend(): Promise<void>;
}

export async function startProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let server: Server;
  const port = await freePort();

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  async function listen(): Promise<void> {
    server = createServer((near) => {
      track(near);
      const far = track(connect(target.port, target.host));
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on('data', (chunk) => {
          if (!frozen) to.write(chunk);
        });
        from.on('close', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  }

  async function cut(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await listen();
  return {
    port,
    cut,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    freeze() {
      frozen = true;
    },
    async mend() {
      frozen = false;
      if (!server.listening) await listen();
    },
  };
}
