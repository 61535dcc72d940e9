import { connect, createServer, type Socket } from 'node:net';

/** How a network behaves. Nothing set: as it should. */
export interface Network {
  /** Milliseconds before each chunk is passed on. */
  readonly delay?: number;
  /** Up to this many milliseconds more. */
  readonly jitter?: number;
  /** For each connection and direction. */
  readonly bytesPerSecond?: number;
  /** The share of chunks at which the connection is reset. */
  readonly resets?: number;
  /** What does not arrive until the network is well again, as packets that TCP sends again. */
  readonly holds?: 'everything' | 'answers';
  /** New connections are reset at once. */
  readonly refuses?: boolean;
}

/** A proxy between a program and a server, which plays a bad network. */
export interface BadNetwork {
  readonly port: number;
  /** Connections that are open now. */
  open(): number;
  set(network: Network): void;
  /** Resets all connections. */
  reset(): void;
  close(): Promise<void>;
}

const MAX_QUEUED_BYTES = 262_144;
const SECOND = 1000;

export async function startProxy(target: { readonly host: string; readonly port: number }): Promise<BadNetwork> {
  let network: Network = {};
  const sockets = new Set<Socket>();
  /** What waits for the network to be well again. */
  const held = new Set<() => void>();

  /** Passes chunks on in their order, when the network lets them. */
  function relay(from: Socket, to: Socket, isAnswer: boolean): void {
    let due = 0;
    let queued = 0;
    const isHeld = () => network.holds === 'everything' || (isAnswer && network.holds === 'answers');
    const waiting: Buffer[] = [];

    function flush(): void {
      if (isHeld()) {
        held.add(flush);
        return;
      }
      held.delete(flush);
      for (const chunk of waiting.splice(0)) {
        queued -= chunk.length;
        if (!to.destroyed) to.write(chunk);
      }
      from.resume();
    }

    from.on('data', (chunk: Buffer) => {
      const { delay = 0, jitter = 0, bytesPerSecond = Number.POSITIVE_INFINITY, resets = 0 } = network;
      if (Math.random() < resets) {
        from.resetAndDestroy();
        to.resetAndDestroy();
        return;
      }
      const now = performance.now();
      due = Math.max(
        now + delay + Math.random() * jitter,
        Math.max(due, now) + (chunk.length / bytesPerSecond) * SECOND,
      );
      queued += chunk.length;
      if (queued > MAX_QUEUED_BYTES) from.pause();
      const pass = () => {
        waiting.push(chunk);
        flush();
      };
      if (due > now) setTimeout(pass, due - now);
      else pass();
    });
    from.on('close', () => {
      held.delete(flush);
      to.destroy();
    });
  }

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  const server = createServer((near) => {
    track(near);
    if (network.refuses) {
      near.resetAndDestroy();
      return;
    }
    const far = track(connect(target.port, target.host));
    relay(near, far, false);
    relay(far, near, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    open: () => sockets.size / 2,
    set(next) {
      network = next;
      for (const flush of Array.from(held)) flush();
    },
    reset,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      reset();
      await closed;
    },
  };
}
