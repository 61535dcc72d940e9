/** The subset of autocannon used here. It ships without types. */
declare module 'autocannon' {
  namespace autocannon {
    interface Request {
      readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }
    interface Options {
      readonly url: string;
      readonly connections: number;
      /** Duration in seconds. */
      readonly duration: number;
      /** Timeout in seconds. */
      readonly timeout?: number;
      readonly requests: readonly Request[];
    }
    interface Result {
      readonly '2xx': number;
      readonly non2xx: number;
      readonly errors: number;
      readonly timeouts: number;
      /** Duration in seconds. */
      readonly duration: number;
      /** Latency in milliseconds. */
      readonly latency: { readonly p50: number; readonly p99: number };
    }
    interface Run extends PromiseLike<Result> {
      /** Emitted once a second, with the number of responses since the last tick. */
      on(event: 'tick', listener: (tick: { readonly counter: number }) => void): this;
    }
  }
  function autocannon(options: autocannon.Options): autocannon.Run;
  export = autocannon;
}
