import { connect, createServer, type Socket } from 'node:net';

/** Behaviour of a network. Empty: normal. */
export interface Network {
  /** Delay of each chunk, in milliseconds. */
  readonly delay?: number;
  /** Additional random delay, up to this many milliseconds. */
  readonly jitter?: number;
  /** Per connection and direction. */
  readonly bytesPerSecond?: number;
  /** Probability that a chunk resets the connection. */
  readonly resets?: number;
  /** Data held back until the network recovers, like packets that TCP retransmits. */
  readonly holds?: 'everything' | 'answers';
  /** True to reset new connections immediately. */
  readonly refuses?: boolean;
}

/** A proxy between a program and a server that simulates a bad network. */
export interface BadNetwork {
  readonly port: number;
  /** Returns the number of open connections. */
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
  /** Chunks waiting for the network to recover. */
  const held = new Set<() => void>();

  /** Forwards chunks in order, as the network allows. */
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
