import { ERRORS, type ErrorCode } from '@baobab/core';
import { drained, LINGER_MS } from '../streams/sink.ts';
import type { UpgradedSocket } from './upgrades.ts';

/** Close codes: registered ones (RFC 6455, and its registry), and one of our own. */
const CLOSE = { stopping: 1012, later: 1013, unauthenticated: 4401 } as const;

const LATER: ReadonlySet<ErrorCode> = new Set([
  'changes.too_slow',
  'changes.too_many_streams',
  'changes.too_many_from_network',
  'changes.unavailable',
  'storage.unavailable',
]);

function closeCodeOf(code: ErrorCode): number {
  if (code === 'service.stopping') return CLOSE.stopping;
  return LATER.has(code) ? CLOSE.later : CLOSE.unauthenticated;
}

/** Maximum number of unread bytes before the socket processes no further message. */
const MAX_UNREAD = 65_536;

export type Outgoing = ReturnType<typeof createOutgoing>;

/** The sending half of a socket. */
export function createOutgoing({ socket, connection }: UpgradedSocket) {
  let isAlive = true;
  let isClosing = false;

  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('ping', (data) => {
    if (connection.writableLength < MAX_UNREAD) socket.pong(data);
  });

  function send(text: string): void {
    if (!isClosing) socket.send(text);
  }

  return {
    send,

    /** Number of bytes that the client has not read yet. */
    get unread() {
      return connection.writableLength;
    },

    taken: () => drained(connection),

    /** Waits until the client has read what was sent, so that its messages cannot fill the memory. */
    async ready(): Promise<void> {
      if (connection.writableLength >= MAX_UNREAD) await drained(connection);
    },

    /** Sends a heartbeat. Closes the connection if the previous one has not been answered. */
    beat(): void {
      if (!isAlive) {
        socket.terminate();
        return;
      }
      isAlive = false;
      socket.ping();
    },

    /** Records that the client has sent something. */
    heard(): void {
      isAlive = true;
    },

    /** Reports why the socket ends, and closes it. */
    end(code: ErrorCode): void {
      if (isClosing) return;
      send(JSON.stringify({ type: 'end', data: { code, message: ERRORS[code] } }));
      isClosing = true;
      socket.close(closeCodeOf(code), code);
      setTimeout(() => socket.terminate(), LINGER_MS).unref();
    },
  };
}
