import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Faults of a network. */
export const TROUBLES = [
  'says nothing',
  'stops in the middle',
  'trickles',
  'cuts the connection',
  'speaks no HTTP',
  'answers 500',
  'answers 404',
  'answers 429',
  'redirects',
  'answers HTML',
  'answers half of a JSON text',
  'answers null',
  'answers a list',
  'answers an empty object',
  'answers without end',
  'answers more than fits',
  'sends headers without end',
] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Faults that only a timeout ends. */
export const SLOW_TROUBLES: readonly Trouble[] = ['says nothing', 'stops in the middle', 'trickles'];

export interface StandInRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface StandInAnswer {
  readonly status?: number;
  readonly json: unknown;
}

type Respond = (request: StandInRequest) => StandInAnswer;

/** A mock network in this process, on a real socket. */
export interface StandIn {
  readonly url: string;
  /** Oldest first. */
  readonly requests: readonly StandInRequest[];
  /** Misbehaviour of all following responses; null for valid responses. */
  trouble: Trouble | null;
  /** Paths that misbehave; null for all. */
  troubled: readonly string[] | null;
  /** Delay of each response, in milliseconds. */
  delay: number;
  /** Cuts all connections. */
  cut(): void;
  /** Closes idle connections. */
  closeIdle(): void;
  close(): Promise<void>;
}

const PIECE = 'x'.repeat(16_384);
const TRICKLE_MS = 50;

function forever(send: () => boolean, socket: Socket): void {
  const timer = setInterval(() => {
    if (socket.destroyed || !send()) clearInterval(timer);
  }, 1);
  socket.once('close', () => clearInterval(timer));
}

function json(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

const MISBEHAVIOUR: Readonly<Record<Trouble, (response: ServerResponse, socket: Socket) => void>> = {
  'says nothing': () => undefined,
  'stops in the middle': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"aud":');
  },
  trickles: (response, socket) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), TRICKLE_MS);
    socket.once('close', () => clearInterval(timer));
  },
  'cuts the connection': (_response, socket) => socket.destroy(),
  'speaks no HTTP': (_response, socket) => socket.end('220 mail.example.org ESMTP\r\n'),
  'answers 500': (response) => json(response, '{"error":"no"}', 500),
  'answers 404': (response) => json(response, '{"error":"no"}', 404),
  'answers 429': (response) => json(response, '{"error":"no"}', 429),
  redirects: (response) => {
    response.writeHead(302, { location: '/elsewhere' }).end();
  },
  'answers HTML': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Log in</title>');
  },
  'answers half of a JSON text': (response) => json(response, '{"aud":"app","sub":'),
  'answers null': (response) => json(response, 'null'),
  'answers a list': (response) => json(response, `${'['.repeat(5000)}${']'.repeat(5000)}`),
  'answers an empty object': (response) => json(response, '{}'),
  'answers without end': (response, socket) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    forever(() => response.write(PIECE), socket);
  },
  'answers more than fits': (response) => json(response, JSON.stringify({ aud: 'x'.repeat(2_000_000) })),
  'sends headers without end': (_response, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    forever(() => socket.write(`X-More: ${PIECE}\r\n`), socket);
  },
};

/** @param routes the response for each path; other paths return 404 */
export async function startStandIn(routes: Readonly<Record<string, Respond>>): Promise<StandIn> {
  const requests: StandInRequest[] = [];
  const server = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    const request = { path: pathname, query: searchParams, headers: incoming.headers };
    requests.push(request);
    const { socket } = incoming;
    const isTroubled = standIn.troubled === null || standIn.troubled.includes(pathname);
    if (standIn.trouble !== null && isTroubled) {
      MISBEHAVIOUR[standIn.trouble](response, socket);
      return;
    }
    const { status = 200, json: body } = routes[pathname]?.(request) ?? { status: 404, json: {} };
    setTimeout(() => json(response, JSON.stringify(body), status), standIn.delay);
  });
  // Clients that disconnect are expected in these tests.
  server.on('connection', (socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in has no address');
  const standIn: StandIn = {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    trouble: null,
    troubled: null,
    delay: 0,
    cut: () => server.closeAllConnections(),
    closeIdle: () => server.closeIdleConnections(),
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return standIn;
}
