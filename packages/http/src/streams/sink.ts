import type { Writable } from 'node:stream';
import type { StreamSink } from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { beatText, type RenderEvent } from './events.ts';

export const EVENT_STREAM_TYPE = 'text/event-stream';

export const EVENT_STREAM_HEADERS = {
  'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8`,
  // Proxies must neither buffer nor compress the stream: both would delay events.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** Reconnection delay of clients, spread so that they do not all return at the same time. Milliseconds. */
const RETRY_MS = { least: 1_000, spread: 2_000 } as const;
/** Time that the receiver has to read the remaining bytes at the end of a stream, in milliseconds. */
export const LINGER_MS = 5_000;

/** Resolves when everything written has been read, or the connection has ended. */
export function drained(output: Writable): Promise<void> {
  if (output.writableLength === 0 || output.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      output.off('drain', done).off('close', done);
      resolve();
    };
    output.on('drain', done).on('close', done);
  });
}

/** Starts an event stream response. The framework no longer handles the reply. */
export function openEventStream(reply: FastifyReply, render: RenderEvent): StreamSink {
  const { raw } = reply;
  const headers = reply.getHeaders();
  reply.hijack();
  raw.writeHead(200, headers as Record<string, string>);
  const retry = RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread);
  raw.write(`retry: ${retry}\n\n`);
  return {
    send: (event) => void raw.write(render(event)),
    beat: (id) => void raw.write(beatText(id)),
    get unread() {
      return raw.writableLength;
    },
    taken: () => drained(raw),
    end() {
      raw.end();
      setTimeout(() => raw.destroy(), LINGER_MS).unref();
    },
  };
}
