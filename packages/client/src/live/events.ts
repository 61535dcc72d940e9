import { BaobabError } from '../errors.ts';

export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** Maximum length of an event, in characters. More than the default size limit of a document. */
const MAX_EVENT = 33_554_432;

/** A field name and value. One space after the colon is not part of the value. */
const FIELD = /^([^:]+)(?:: ?(.*))?$/s;

interface Block {
  event: string;
  id: string;
  data: string | null;
}

const tooLarge = () => new BaobabError('client.answer', 'An event of the stream is too large', { status: 200 });

/** Parses server-sent events (HTML standard, section 9.2.6) from chunks of text. */
export function createEventParser(maxEvent = MAX_EVENT) {
  let rest = '';
  let lastId: string | null = null;
  let isFirst = true;
  /** The event being read. */
  let block: Block = { event: '', id: '', data: null };

  /** Completes the event; returns null if it has no data. */
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

  /** Processes a line; returns the event that it completes. */
  function takeLine(line: string): StreamEvent | null {
    if (line === '') return dispatch();
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === 'event' || name === 'id') block[name] = value;
    if (name === 'data') addData(value);
    return null;
  }

  return {
    /** Returns the events that this text completes. @throws `client.answer` for an event that is too large */
    take(text: string): StreamEvent[] {
      rest += isFirst ? text.replace(/^\uFEFF/, '') : text;
      isFirst &&= text === '';
      if (rest.length > maxEvent + text.length) throw tooLarge();
      if (!/[\r\n]/.test(text)) return [];
      // A trailing carriage return may be the first half of a line end.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines.map(takeLine).filter((event) => event !== null);
    },
    /** Returns the id of the last event, to resume from; null before the first. */
    lastId: () => lastId,
  };
}
