import type { StreamEvent } from '@baobab/core';
import { changeJson } from '../render/change.ts';

/** The data of an event as JSON text, which has no line breaks. */
function dataOf(event: StreamEvent): string {
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

/** An event in the format of server-sent events (HTML standard, section 9.2). */
export type RenderEvent = (event: StreamEvent) => Buffer;

/** Creates a function that renders an event once, for however many streams. */
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

/** A sign of life. A block without data dispatches no event, but its id is remembered for when the client resumes. */
export const beatText = (id: string | null) => (id === null ? ':\n\n' : `:\nid: ${id}\n\n`);
