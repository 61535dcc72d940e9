import { get } from 'node:http';

export interface StreamEvent {
  /** Event name; default `message`. */
  readonly event: string;
  /** Id of this event, or of the last one that had an id. */
  readonly id: string;
  /** The parsed JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

export interface EventStreamOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Called with each event, in order. */
  on(event: StreamEvent): void;
  /** Called with the id of the last event whenever it changes, even without an event. */
  onId?(id: string): void;
}

/** A connection that receives server-sent events. */
export interface EventStream {
  /** Status of the response, and its text unless it is 200; status 0 without a response. */
  readonly answered: Promise<{ readonly status: number; readonly text: string }>;
  /** Resolves when the connection has ended on either side. */
  readonly ended: Promise<void>;
  /** Cuts the connection. */
  close(): void;
}

function createParser(on: EventStreamOptions['on'], onId: EventStreamOptions['onId']) {
  let id = '';
  let rest = '';
  let block: { event: string; data: string[]; id: string | null } = { event: '', data: [], id: null };

  function dispatch(): void {
    const { event, data, id: given } = block;
    block = { event: '', data: [], id: null };
    if (given !== null) {
      id = given;
      onId?.(id);
    }
    if (data.length > 0) on({ event: event === '' ? 'message' : event, id, data: JSON.parse(data.join('\n')) });
  }

  function takeLine(line: string): void {
    const colon = line.indexOf(':');
    const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    if (line === '') dispatch();
    else if (name === 'event') block.event = value;
    else if (name === 'data') block.data.push(value);
    else if (name === 'id') block.id = value;
  }

  return {
    /** Ignores further lines once `isDone` returns true. */
    take(chunk: string, isDone: () => boolean): void {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (!isDone()) takeLine(line);
    },
  };
}

/** Opens a stream like `EventSource`, but without reconnecting. */
export function openEventStream(url: string, { headers, on, onId }: EventStreamOptions): EventStream {
  const parser = createParser(on, onId);
  let isClosed = false;
  const request = get(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false });
  const answered = new Promise<{ status: number; text: string }>((resolve) => {
    request.once('error', () => resolve({ status: 0, text: '' }));
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      if (status === 200) {
        resolve({ status, text });
        response.on('data', (chunk: string) => parser.take(chunk, () => isClosed));
      } else {
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('close', () => resolve({ status, text }));
      }
    });
  });
  const ended = new Promise<void>((resolve) => void request.once('close', resolve));
  return {
    answered,
    ended,
    close() {
      isClosed = true;
      request.destroy();
    },
  };
}
