import { BaobabError, type ErrorCode } from '../errors.ts';
import type { Transport } from '../transport/transport.ts';

/** A message of the server. */
export interface Frame {
  readonly type: string;
  readonly id?: number;
  readonly room?: string;
  readonly cursor?: string;
  readonly data?: unknown;
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly status?: number;
  readonly retryAfter?: number;
}

/** Receiver of the messages of one subscription or room. */
interface FrameSink {
  take(frame: Frame): void;
  /** The connection has ended. */
  end(): void;
}

/** Time for connecting, in milliseconds. Proxies that block sockets often do not answer at all. */
const OPEN_LIMIT_MS = 5_000;
/** Silence after which the client checks the connection, in milliseconds. */
const SILENCE_MS = 10_000;
/** Time for the server's answer to that check, in milliseconds. */
const ANSWER_MS = 2_000;
/** Time that an unused connection stays open, in milliseconds. */
const UNUSED_MS = 250;
const UNAUTHENTICATED = 4401;

export const frameError = ({ code = 'client.answer', message = '', status = 0, retryAfter }: Frame) =>
  new BaobabError(code, message, { status, ...(retryAfter !== undefined && { retryAfter }) });

/** Result of connecting: a connection, or the reason why there is none. */
type Opened = Connection | 'blocked' | 'failed' | 'unauthenticated';

export type Connection = Exclude<ReturnType<typeof createConnection>, null>;

/** Calls `check` when the device may have lost or regained its network. Returns a function that stops it. */
function onNetworkChange(check: () => void): () => void {
  const events = ['online', 'offline', 'pageshow', 'focus'] as const;
  for (const event of events) globalThis.addEventListener?.(event, check);
  return () => {
    for (const event of events) globalThis.removeEventListener?.(event, check);
  };
}

/** Opens a socket. `settle` is called once: with true after `welcome`, or with false and the close code. */
function createConnection(
  socket: WebSocket,
  hello: object,
  userId: string | undefined,
  settle: (isOpen: boolean, code: number) => void,
) {
  const sinks = new Map<number | string, FrameSink>();
  let lastId = 0;
  let isOpen = true;
  let timer = setTimeout(() => drop(0), OPEN_LIMIT_MS);
  let unused: ReturnType<typeof setTimeout> | undefined;
  const stopListening = onNetworkChange(() => check());

  function drop(code: number): void {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(timer);
    clearTimeout(unused);
    stopListening();
    settle(false, code);
    for (const sink of [...sinks.values()]) sink.end();
    sinks.clear();
    socket.close();
  }

  /** Sends a message, unless the socket is closing: then `drop` follows, and receivers start again. */
  const send = (message: object) => {
    if (socket.readyState === 1) socket.send(JSON.stringify(message));
  };

  function wait(): void {
    clearTimeout(timer);
    timer = setTimeout(check, SILENCE_MS);
  }

  /** Asks the server for a sign of life. */
  function check(): void {
    if (!isOpen || socket.readyState !== 1) return;
    clearTimeout(timer);
    send({ type: 'ping' });
    // Once more, because an answer may have arrived while the page was busy.
    timer = setTimeout(() => {
      timer = setTimeout(() => drop(0));
    }, ANSWER_MS);
  }

  function closeUnused(): void {
    clearTimeout(unused);
    if (sinks.size === 0) unused = setTimeout(() => drop(0), UNUSED_MS);
  }

  function take(frame: Frame): void {
    wait();
    if (frame.type === 'welcome') {
      settle(true, 0);
      closeUnused();
    } else sinks.get(frame.room ?? frame.id ?? '')?.take(frame);
  }

  socket.onopen = () => send(hello);
  socket.onclose = ({ code }) => drop(code);
  socket.onerror = () => undefined; // a close follows
  socket.onmessage = ({ data }) => {
    try {
      take(JSON.parse(String(data)));
    } catch (error) {
      drop(0);
      throw error;
    }
  };

  return {
    userId,
    isOpen: () => isOpen,
    send,
    /** Registers a receiver under a room, or under a new number. Returns its name. */
    add(sink: FrameSink, room?: string): number | string {
      const name = room ?? ++lastId;
      sinks.set(name, sink);
      clearTimeout(unused);
      return name;
    },
    remove(name: number | string): void {
      sinks.delete(name);
      closeUnused();
    },
    close: () => drop(0),
  };
}

/** Pause before another attempt after sockets turned out to be blocked, in milliseconds. */
const BLOCKED_MS = 60_000;
/** Failures in a row after which sockets count as blocked although they have worked before. */
const MOST_FAILURES = 3;

/** Creates the only socket of a client. */
function createConnector({ options, session, url }: Transport) {
  const { webSocket, fetch } = options;
  let current: Connection | null = null;
  let opening: { readonly userId: string | undefined; readonly result: Promise<Opened> } | null = null;
  let failures = 0;
  let hasWorked = false;
  /** Time since which sockets count as blocked, in milliseconds. */
  let blockedAt = 0;

  function connect(userId: string | undefined): Promise<Opened> {
    return new Promise((resolve) => {
      const Socket = webSocket === undefined && fetch === undefined ? globalThis.WebSocket : webSocket;
      if (typeof Socket !== 'function' || options.key !== undefined || Math.abs(Date.now() - blockedAt) < BLOCKED_MS) {
        resolve('blocked');
        return;
      }
      const { token } = session.current() ?? {};
      const hello = { type: 'hello', appCode: options.appCode, ...(token !== undefined && { session: token }) };
      try {
        const socket = new Socket(url('/live').replace(/^http/, 'ws'), 'baobab.v1');
        const connection = createConnection(socket, hello, userId, (isOpen, code) => {
          if (current === connection) current = null;
          if (!isOpen) {
            resolve(code === UNAUTHENTICATED ? 'unauthenticated' : 'failed');
            return;
          }
          current = connection;
          hasWorked = true;
          failures = 0;
          resolve(connection);
        });
      } catch {
        resolve('failed');
      }
    });
  }

  const userOf = () => session.current()?.user.id;

  return {
    /** Returns the id of the current user. */
    userOf,
    /** Returns the connection of the current user. */
    async open(): Promise<Opened> {
      await session.ready;
      const userId = userOf();
      if (current?.userId === userId && current?.isOpen()) return current;
      if (opening === null || opening.userId !== userId) {
        current?.close();
        const mine = { userId, result: connect(userId) };
        opening = mine;
        void mine.result.then(() => {
          if (opening === mine) opening = null;
        });
      }
      return opening.result;
    },
    /** Records that the server can be reached, but not over a socket. Returns true if sockets count as blocked now. */
    fail(): boolean {
      const isBlocked = !hasWorked || ++failures >= MOST_FAILURES;
      if (isBlocked) blockedAt = Date.now();
      return isBlocked;
    },
    close: () => current?.close(),
  };
}

export type Connector = ReturnType<typeof createConnector>;

const connectors = new WeakMap<Transport, Connector>();

/** Returns the connector of a client, shared by its live queries, rooms and offline collections. */
export function connectorOf(transport: Transport): Connector {
  const connector = connectors.get(transport) ?? createConnector(transport);
  connectors.set(transport, connector);
  return connector;
}
