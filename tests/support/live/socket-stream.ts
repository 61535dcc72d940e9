import { WebSocket } from 'ws';
import type { EventStream, EventStreamOptions } from './event-stream.ts';

interface SocketStreamOptions extends EventStreamOptions {
  readonly collections: readonly string[];
  readonly since: string;
}

/** Follows the feed like `openEventStream`, over a subscription of `GET /live`. */
export function openSocketStream(address: string, options: SocketStreamOptions): EventStream {
  const { headers, collections, since, on, onId } = options;
  const socket = new WebSocket(`${address.replace(/^http/, 'ws')}/live`, 'baobab.v1', { headers });
  let isClosed = false;
  let answer: (answered: { status: number; text: string }) => void = () => undefined;
  const answered = new Promise<{ status: number; text: string }>((resolve) => {
    answer = resolve;
  });

  function take(text: string): void {
    const { type, cursor, data, status = 500 } = JSON.parse(text);
    if (type === 'welcome') {
      socket.send(JSON.stringify({ type: 'subscribe', id: 1, collection: collections, since }));
      return;
    }
    if (type === 'error') {
      answer({ status, text });
      socket.terminate();
      return;
    }
    answer({ status: 200, text: '' });
    if (cursor !== undefined) onId?.(cursor);
    if (type !== 'cursor') on({ event: type, id: cursor ?? '', data });
  }

  socket.on('message', (data) => {
    if (!isClosed) take(String(data));
  });
  socket.on('unexpected-response', (request, { statusCode = 0 }) => {
    answer({ status: statusCode, text: '' });
    request.destroy();
  });
  socket.on('error', () => answer({ status: 0, text: '' }));
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      answer({ status: 0, text: '' });
      resolve();
    });
  });
  return {
    answered,
    ended,
    close() {
      isClosed = true;
      socket.terminate();
    },
  };
}
