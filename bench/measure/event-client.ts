import { connect, type Socket } from 'node:net';

type Headers = Readonly<Record<string, string>>;

/** A minimal event stream, so that one process can hold ten thousand of them. */
export interface EventClient {
  close(): void;
}

/** Maximum number of connections being opened. */
const AT_ONCE = 200;

function openOne(url: URL, headers: Headers, onText: (text: string) => void): Promise<EventClient> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(url.port), url.hostname);
    let isOpen = false;
    socket.setEncoding('utf8').once('error', reject);
    socket.on('data', (chunk) => {
      const text = String(chunk);
      if (!isOpen) {
        if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 200)));
        isOpen = true;
        resolve({ close: () => socket.destroy() });
      }
      onText(text);
    });
    const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  });
}

/**
 * Opens many streams.
 *
 * @param request returns the headers of the stream with this number, and the handler of its text
 */
export async function openStreams(
  url: string,
  count: number,
  request: (index: number) => { readonly headers: Headers; readonly onText: (text: string) => void },
): Promise<EventClient[]> {
  const opened: EventClient[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => {
      const { headers, onText } = request(at + i);
      return openOne(new URL(url), headers, onText);
    });
    opened.push(...(await Promise.all(some)));
  }
  return opened;
}
