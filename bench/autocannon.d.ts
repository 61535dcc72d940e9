/** The part of autocannon that is used here. It ships without types. */
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
      /** Seconds. */
      readonly duration: number;
      /** Seconds. */
      readonly timeout?: number;
      readonly requests: readonly Request[];
    }
    interface Result {
      readonly '2xx': number;
      readonly non2xx: number;
      readonly errors: number;
      readonly timeouts: number;
      /** Seconds. */
      readonly duration: number;
      /** Milliseconds. */
      readonly latency: { readonly p50: number; readonly p99: number };
    }
    interface Run extends PromiseLike<Result> {
      /** Once a second, with the responses since the last time. */
      on(event: 'tick', listener: (tick: { readonly counter: number }) => void): this;
    }
  }
  function autocannon(options: autocannon.Options): autocannon.Run;
  export = autocannon;
}
