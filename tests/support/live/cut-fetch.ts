/** A network whose sockets and open change streams can be cut. */
export interface CutFetch {
  readonly fetch: typeof fetch;
  readonly webSocket: typeof WebSocket;
  /** Addresses of the requested streams and sockets, in order. */
  readonly asked: readonly URL[];
  /** Returns the number of open streams and sockets. */
  open(): number;
  /** Cuts all of them. */
  cut(): void;
  /** Sets the state of the network. */
  setOnline(isOnline: boolean): void;
}

export function createCutFetch(through: typeof fetch = (...args) => globalThis.fetch(...args)): CutFetch {
  const asked: URL[] = [];
  const connections = new Set<AbortController>();
  let isOnline = true;

  async function send(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    if (!isOnline) throw new TypeError('there is no network');
    const url = new URL(String(input));
    if (url.pathname !== '/changes/stream') return through(input, init);
    asked.push(url);
    const controller = new AbortController();
    const close = () => {
      connections.delete(controller);
      controller.abort();
    };
    init.signal?.addEventListener('abort', close);
    connections.add(controller);
    return through(input, { ...init, signal: controller.signal });
  }

  const sockets = new Set<WebSocket>();
  class CutSocket extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      if (!isOnline) throw new TypeError('there is no network');
      super(...args);
      asked.push(new URL(this.url));
      sockets.add(this);
      this.addEventListener('close', () => sockets.delete(this));
    }
  }

  const cut = () => {
    for (const one of connections) one.abort();
    connections.clear();
    for (const one of sockets) one.close();
  };
  return {
    fetch: send,
    webSocket: CutSocket,
    asked,
    open: () => connections.size + sockets.size,
    cut,
    setOnline(now) {
      isOnline = now;
      if (!now) cut();
    },
  };
}
