import { Readable } from 'node:stream';
import { createGuard, type GuardOptions } from './guard.ts';
import { createRequests } from './requests.ts';

const CONNECT_LIMIT_MS = 5_000;
/** Timeout of the headers, and of each pause of the body, in milliseconds. */
const IDLE_LIMIT_MS = 15_000;
const CONNECTIONS = 32;
/** Statuses of responses without a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

export interface GuardedFetch {
  /** Like the global `fetch`. Does not follow redirects. @throws `RefusedAddress` */
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

function headersOf(sent: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return headers;
}

/** Creates a `fetch` that connects to allowed addresses only. */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  const guard = createGuard(options);
  const { request, close } = createRequests({
    proxies: options.proxies ?? null,
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_LIMIT_MS, lookup: guard.lookup },
    headersTimeout: IDLE_LIMIT_MS,
    bodyTimeout: IDLE_LIMIT_MS,
  });
  return {
    async fetch(input, init) {
      const asked = new Request(input, init);
      await guard.check(new URL(asked.url));
      const { statusCode, headers, body } = await request(asked.url, {
        method: asked.method as 'GET',
        headers: Object.fromEntries(asked.headers),
        body: asked.body === null ? null : Buffer.from(await asked.arrayBuffer()),
        signal: asked.signal,
      });
      const isEmpty = WITHOUT_BODY.has(statusCode);
      if (isEmpty) await body.dump();
      const stream = isEmpty ? null : (Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>);
      return new Response(stream, { status: statusCode, headers: headersOf(headers) });
    },
    close,
  };
}
