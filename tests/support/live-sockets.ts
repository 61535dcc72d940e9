import { WebSocket } from 'ws';
import { until } from './patience.ts';

/** A message from the server. */
// biome-ignore lint/suspicious/noExplicitAny: messages have members of any shape
export type LiveMessage = Readonly<Record<string, any>>;

export interface LiveSocketOptions {
  /** Sent in the first message; null sends none. */
  readonly hello?: Readonly<Record<string, unknown>> | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly protocols?: readonly string[];
  /** For certificates of tests. */
  readonly rejectUnauthorized?: boolean;
}

/** Formats a message in one line: `put 1 <version>`, `ready 1`, `error 1 <code>`, `welcome <user>`. */
function lineOf({ type, id, data, code, user }: LiveMessage): string {
  const about = { put: data?.version, resync: data?.reason, end: data?.code, error: code, welcome: user }[
    type as string
  ];
  return [type, id, about].filter((part) => part !== undefined).join(' ');
}

/** Opens a socket of `GET /live`. @param address `http://` or `https://` */
export async function openLive(address: string, options: LiveSocketOptions = {}) {
  const { hello = { appCode: '1234567890' }, headers = {}, path = '/live', protocols = ['baobab.v1'] } = options;
  const { rejectUnauthorized = true } = options;
  const socket = new WebSocket(address.replace(/^http/, 'ws') + path, [...protocols], { headers, rejectUnauthorized });
  const messages: LiveMessage[] = [];
  let closed: { readonly code: number; readonly reason: string } | null = null;
  let refused: number | null = null;
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('close', (code, reason) => {
    closed = { code, reason: String(reason) };
  });
  socket.on('unexpected-response', (request, response) => {
    refused = response.statusCode ?? 0;
    request.destroy();
  });
  socket.on('error', () => undefined);
  await until(() => socket.readyState === WebSocket.OPEN || refused !== null || closed !== null);
  const send = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  if (hello !== null && socket.readyState === WebSocket.OPEN) send({ type: 'hello', ...hello });
  const lines = () => messages.map(lineOf);
  return {
    socket,
    messages,
    lines,
    send,
    /** Status with which the handshake was refused; null if it was accepted. */
    refused: () => refused,
    /** Waits for a message whose line begins with this text. Resolves to the first one. */
    async line(start: string): Promise<LiveMessage> {
      const find = () => messages.find((message) => lineOf(message).startsWith(start));
      await until(() => find() !== undefined || closed !== null).catch(() => undefined);
      const found = find();
      if (found === undefined)
        throw new Error(`no "${start}" among ${JSON.stringify(lines())}, ${JSON.stringify(closed)}`);
      return found;
    },
    /** Resolves to the close code when the socket is closed. */
    async closed(): Promise<number> {
      await until(() => closed !== null);
      return closed?.code ?? 0;
    },
    close: () => socket.terminate(),
  };
}

export type LiveSocket = Awaited<ReturnType<typeof openLive>>;
