import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** Opens a real socket for a backend. Resolves to its port. */
export async function openSocket(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the backend does not listen');
  return address.port;
}

export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // A connection closed by the server is an outcome, not a failure.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(headers),
    text: bytes.subarray(end + 4).toString('utf8'),
  };
}

/** Sends raw bytes and reads until the server closes the connection. The request must ask for that or be invalid. */
export async function exchange(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = await connected(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return parseAnswer(Buffer.concat(chunks));
}

/** Returns the head of a request that asks the server to close the connection afterwards. */
export function head(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries({ host: 'x', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

export interface SocketRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** Sends one request with Node's client, which does not normalize the path. */
export function send(port: number, { method, path, headers, body }: SocketRequest): Promise<RawAnswer> {
  // Node sends no Content-Length for methods that usually have no body, and the bytes would be read as another request.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false };
  return new Promise((resolve, reject) => {
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const entries = Object.entries(response.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve({
          status: response.statusCode ?? 0,
          headers: new Map(entries),
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
