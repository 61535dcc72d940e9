import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a webhook receiver got. */
export interface ReceivedMessage {
  readonly headers: IncomingMessage['headers'];
  /** The body as sent. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly body: any;
}

export type Behaviour = (response: ServerResponse, message: ReceivedMessage, request: IncomingMessage) => void;

/** Returns a behaviour that responds with a status. */
export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(body);

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** Oldest first. */
  readonly received: ReceivedMessage[];
  behave(behaviour: Behaviour): void;
  /** Closes the port; `open` opens it again. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** Starts a webhook receiver on this machine, which responds with 204. */
export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  let behaviour = answering(204);
  let server: Server | null = null;
  let port = 0;

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const message = { headers: request.headers, text, body: JSON.parse(text) };
      received.push(message);
      behaviour(response, message, request);
    });
  }

  async function open(): Promise<void> {
    const opening = createServer(listener);
    await new Promise<void>((resolve) => opening.listen(port, host, resolve));
    port = (opening.address() as AddressInfo).port;
    server = opening;
  }

  await open();
  return {
    received,
    get url() {
      return `http://127.0.0.1:${port}/hook`;
    },
    get port() {
      return port;
    },
    behave(next) {
      behaviour = next;
    },
    open,
    async close() {
      const closing = server;
      server = null;
      closing?.closeAllConnections();
      await new Promise((resolve) => (closing === null ? resolve(null) : closing.close(resolve)));
    },
  };
}
