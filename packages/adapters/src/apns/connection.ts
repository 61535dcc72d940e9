import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { hostOf, type Proxies, proxyFor, tunnel } from '../outbound/index.ts';

export interface ApnsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface ApnsRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Capacity for one request on an open connection. */
export interface Slot {
  /** Sends one request. @throws if no response arrives */
  send(request: ApnsRequest, signal: AbortSignal): Promise<ApnsAnswer>;
  release(): void;
}

/** One HTTP/2 connection (RFC 9113), opened on first use, reused, and replaced when it ends. */
export interface ApnsConnection {
  /** Waits for one of the concurrent streams. @throws without a connection */
  slot(signal: AbortSignal): Promise<Slot>;
  close(): void;
}

const CONNECT_LIMIT_MS = 3_000;
/** Idle time after which a connection is closed, in milliseconds. */
const IDLE_LIMIT_MS = 10 * 60_000;
const MAX_ANSWER_BYTES = 65_536;

interface Session {
  readonly http2: ClientHttp2Session;
  active: number;
}

function exchange(stream: ClientHttp2Stream, body: string): Promise<ApnsAnswer> {
  return new Promise((resolve, reject) => {
    let headers: IncomingHttpHeaders | null = null;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (received) => {
      headers = received;
    });
    stream.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_ANSWER_BYTES) stream.destroy(new Error('the answer is too large'));
    });
    stream.on('end', () => {
      if (headers !== null) resolve({ status: Number(headers[':status']), headers, text });
    });
    stream.on('error', reject);
    stream.on('close', () => reject(new Error(`the stream was closed (${stream.rstCode}) before the answer`)));
    stream.end(body);
  });
}

export interface ApnsConnectionOptions {
  readonly origin: string;
  /** Maximum concurrent requests, unless the server allows fewer. */
  readonly maxStreams: number;
  readonly ca: string | null;
  readonly proxies: Proxies | null;
}

type Target = Pick<ApnsConnectionOptions, 'origin' | 'ca'>;

/** Opens a connection through a proxy. @throws if the proxy refuses or does not respond */
async function connectThrough(proxy: string, { origin, ca }: Target): Promise<ClientHttp2Session> {
  const url = new URL(origin);
  const isTls = url.protocol === 'https:';
  const target = `${url.hostname}:${url.port || (isTls ? 443 : 80)}`;
  const socket = await tunnel(proxy, target, AbortSignal.timeout(CONNECT_LIMIT_MS));
  const security = { servername: hostOf(url), ALPNProtocols: ['h2'], ...(ca === null ? {} : { ca }) };
  return connect(origin, { createConnection: () => (isTls ? connectTls({ socket, ...security }) : socket) });
}

export function createApnsConnection(options: ApnsConnectionOptions): ApnsConnection {
  const { origin, maxStreams, ca, proxies } = options;
  let current: Promise<Session> | null = null;
  let closed = false;
  const all = new Set<ClientHttp2Session>();
  let waiting: Array<() => void> = [];

  /** Makes all waiters check again. */
  function wakeAll(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  /** @param ended called when the connection accepts no further requests */
  function begin(http2: ClientHttp2Session, ended: () => void): Promise<Session> {
    all.add(http2);
    // The server announces its shutdown: running requests may finish, the next one opens another connection.
    http2.on('goaway', ended);
    http2.setTimeout(IDLE_LIMIT_MS, () => http2.close());
    return new Promise<Session>((resolve, reject) => {
      const late = setTimeout(() => http2.destroy(new Error('connecting took too long')), CONNECT_LIMIT_MS);
      // Wait for the server's settings, which contain the number of allowed streams.
      http2.once('remoteSettings', () => {
        clearTimeout(late);
        resolve({ http2, active: 0 });
      });
      http2.on('error', reject);
      http2.on('close', () => {
        clearTimeout(late);
        all.delete(http2);
        reject(new Error('the connection was closed'));
        ended();
      });
      if (closed) http2.destroy();
    });
  }

  function open(): Promise<Session> {
    const proxy = proxyFor(new URL(origin), proxies);
    const ended = () => retire(opening);
    const opening: Promise<Session> =
      proxy === null
        ? begin(connect(origin, ca === null ? {} : { ca }), ended)
        : connectThrough(proxy, options).then((http2) => begin(http2, ended));
    opening.catch(ended);
    return opening;
  }

  function retire(session: Promise<Session>): void {
    if (current === session) current = null;
    wakeAll();
  }

  function usable(): Promise<Session> {
    if (closed) throw new Error('the push adapter is closed');
    current ??= open();
    return current;
  }

  function room(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const give = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting = waiting.filter((one) => one !== give);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(give);
    });
  }

  function slotOn(session: Session, opening: Promise<Session>): Slot {
    session.active++;
    return {
      async send({ path, headers, body }, signal) {
        try {
          signal.throwIfAborted();
          const stream = session.http2.request({ ':method': 'POST', ':path': path, ...headers }, { signal });
          return await exchange(stream, body);
        } catch (error) {
          // The peer may be gone without notice, so the next request opens another connection.
          if (signal.aborted) {
            retire(opening);
            session.http2.close();
          }
          throw error;
        }
      },
      release() {
        session.active--;
        waiting.shift()?.();
      },
    };
  }

  return {
    async slot(signal) {
      for (;;) {
        signal.throwIfAborted();
        const opening = usable();
        const session = await opening;
        const { http2, active } = session;
        if (http2.closed || http2.destroyed) retire(opening);
        else if (active < Math.min(maxStreams, http2.remoteSettings.maxConcurrentStreams ?? maxStreams)) {
          return slotOn(session, opening);
        } else await room(signal);
      }
    },
    close() {
      closed = true;
      for (const session of all) session.destroy();
      wakeAll();
    },
  };
}
