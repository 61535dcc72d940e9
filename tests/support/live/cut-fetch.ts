/** A `fetch` whose open change streams can be cut. */
export interface CutFetch {
  readonly fetch: typeof fetch;
  /** Addresses of the requested streams, in order. */
  readonly asked: readonly URL[];
  /** Returns the number of open streams. */
  open(): number;
  /** Cuts all stream connections. */
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

  const cut = () => {
    for (const one of connections) one.abort();
    connections.clear();
  };
  return {
    fetch: send,
    asked,
    open: () => connections.size,
    cut,
    setOnline(now) {
      isOnline = now;
      if (!now) cut();
    },
  };
}
