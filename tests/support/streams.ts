import { until } from './patience.ts';

/** An event of a stream. */
export interface StreamedEvent {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: events have data of any shape
  readonly data: any;
}

export interface StreamClientOptions {
  readonly token?: string | undefined;
  readonly appCode?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Formats an event in one line: `put 1 <id>`, `gone <id>`, `ready`, `resync <reason>`, `end <code>`. */
function lineOf({ event, data }: StreamedEvent): string {
  const about = { put: `${data.version} ${data.id}`, gone: data.id, resync: data.reason, end: data.code }[event];
  return about === undefined ? event : `${event} ${about}`;
}

function parseBlock(block: string): { readonly fields: Map<string, string>; readonly hasComment: boolean } {
  const lines = block.split('\n');
  const fields = lines.filter((line) => !line.startsWith(':')).map((line) => line.split(/: (.*)/s, 2));
  return {
    fields: new Map(fields.map(([name = '', value = '']) => [name, value])),
    hasComment: lines.some((line) => line.startsWith(':')),
  };
}

/** Opens a change stream with `fetch`. */
export async function openStream(
  address: string,
  query: string,
  { token, appCode = '1234567890', headers = {} }: StreamClientOptions = {},
) {
  const abort = new AbortController();
  const response = await fetch(`${address}/changes/stream?${query}`, {
    signal: abort.signal,
    headers: { 'x-service-appcode': appCode, ...(token !== undefined && { 'x-bb-session': token }), ...headers },
  });
  const events: StreamedEvent[] = [];
  let beats = 0;
  let lastId = '';
  let hasEnded = false;
  let text = '';

  function take(block: string): void {
    const { fields, hasComment } = parseBlock(block);
    if (hasComment) beats++;
    lastId = fields.get('id') ?? lastId;
    const data = fields.get('data');
    if (data !== undefined) events.push({ event: fields.get('event') ?? '', id: lastId, data: JSON.parse(data) });
  }

  async function read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes, { stream: true });
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          take(text.slice(0, end));
          text = text.slice(end + 2);
        }
      }
    } catch {
      // The connection was cut, or closed by the test.
    }
    hasEnded = true;
  }

  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const failure = isStream ? null : await response.json();
  if (isStream) void read();
  const lines = () => events.map(lineOf);
  const client = {
    status: response.status,
    headers: response.headers,
    /** The envelope, if the stream was rejected. */
    // biome-ignore lint/suspicious/noExplicitAny: tests look into it
    failure: failure as any,
    events,
    lines,
    get beats() {
      return beats;
    },
    get lastId() {
      return lastId;
    },
    get hasEnded() {
      return hasEnded;
    },
    /** Waits for an event whose line begins with this text. Resolves to the event. */
    async line(start: string): Promise<StreamedEvent> {
      const find = () => events.find((event) => lineOf(event).startsWith(start));
      await until(() => find() !== undefined || hasEnded).catch(() => undefined);
      const found = find();
      if (found === undefined) throw new Error(`no "${start}" among ${JSON.stringify(lines())}, ended: ${hasEnded}`);
      return found;
    },
    ended: () => until(() => hasEnded),
    close: () => abort.abort(),
  };
  return client;
}

export type StreamClient = Awaited<ReturnType<typeof openStream>>;
