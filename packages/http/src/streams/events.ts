import type { StreamEvent } from '@baobab/core';
import { changeJson } from '../render/document.ts';

/** Returns the data of an event as JSON text without line breaks. */
export function dataOf(event: StreamEvent): string {
  switch (event.type) {
    case 'put':
    case 'gone':
      return changeJson(event.change);
    case 'ready':
      return '{}'; // an event without data reaches no listener
    case 'resync':
      return JSON.stringify({ reason: event.reason });
    case 'end':
      return JSON.stringify({ code: event.code, message: event.message });
  }
}

const idOf = (event: StreamEvent) => (event.type === 'end' ? '' : `id: ${event.id}\n`);

/** Formats a server-sent event (HTML standard, section 9.2). */
export type RenderEvent = (event: StreamEvent) => Buffer;

/** Creates a function that formats each event once for all streams. */
export function createRenderEvent(): RenderEvent {
  const rendered = new WeakMap<StreamEvent, Buffer>();
  return (event) => {
    const known = rendered.get(event);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`${idOf(event)}event: ${event.type}\ndata: ${dataOf(event)}\n\n`);
    rendered.set(event, bytes);
    return bytes;
  };
}

/** Returns a heartbeat. A block without data does not dispatch an event, but clients remember its id for resuming. */
export const beatText = (id: string | null) => (id === null ? ':\n\n' : `:\nid: ${id}\n\n`);
