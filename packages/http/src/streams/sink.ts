import type { StreamSink } from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { beatText, type RenderEvent } from './events.ts';

export const EVENT_STREAM_TYPE = 'text/event-stream';

export const EVENT_STREAM_HEADERS = {
  'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8`,
  // Proxies must neither keep nor compress it: that would hold events back.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** When clients whose connection ends reconnect: spread, so that they do not all come back at once. Milliseconds. */
const RETRY_MS = { least: 1_000, spread: 2_000 } as const;
/** How long the receiver has for what was sent before the end. Milliseconds. */
const LINGER_MS = 5_000;

/** Begins a response of events. The framework has nothing more to do with the reply. */
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
    taken() {
      if (raw.writableLength === 0 || raw.destroyed) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          raw.off('drain', done).off('close', done);
          resolve();
        };
        raw.on('drain', done).on('close', done);
      });
    },
    end() {
      raw.end();
      setTimeout(() => raw.destroy(), LINGER_MS).unref();
    },
  };
}
