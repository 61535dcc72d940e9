import { BaobabError } from '../errors.ts';

export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** Characters of one event. It is more than the greatest document that a service takes by default. */
const MAX_EVENT = 33_554_432;

/** A name, and a value of which one space at the beginning does not count. */
const FIELD = /^([^:]+)(?:: ?(.*))?$/s;

interface Block {
  event: string;
  id: string;
  data: string | null;
}

const tooLarge = () => new BaobabError('client.answer', 'An event of the stream is too large', { status: 200 });

/** Reads server-sent events (HTML standard, section 9.2.6) from texts as they arrive. */
export function createEventParser(maxEvent = MAX_EVENT) {
  let rest = '';
  let lastId: string | null = null;
  let isFirst = true;
  /** The event that is being read. */
  let block: Block = { event: '', id: '', data: null };

  /** Ends the event; null when it has no data. */
  function dispatch(): StreamEvent | null {
    const { event, id, data } = block;
    if (id !== '') lastId = id;
    block = { event: '', id: '', data: null };
    return data === null ? null : { type: event || 'message', data };
  }

  function addData(value: string): void {
    block.data = block.data === null ? value : `${block.data}\n${value}`;
    if (block.data.length > maxEvent) throw tooLarge();
  }

  /** Takes a line; returns the event that it completes. */
  function takeLine(line: string): StreamEvent | null {
    if (line === '') return dispatch();
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === 'event' || name === 'id') block[name] = value;
    if (name === 'data') addData(value);
    return null;
  }

  return {
    /** The events that are complete after this text. @throws `client.answer` for an event that is too large */
    take(text: string): StreamEvent[] {
      rest += isFirst ? text.replace(/^\uFEFF/, '') : text;
      isFirst &&= text === '';
      if (rest.length > maxEvent + text.length) throw tooLarge();
      if (!/[\r\n]/.test(text)) return [];
      // A carriage return at the end may be the first half of a line end.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines.map(takeLine).filter((event) => event !== null);
    },
    /** The id of the last event, from which to resume; null before the first. */
    lastId: () => lastId,
  };
}
