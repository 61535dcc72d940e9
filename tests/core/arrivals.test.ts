import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenInTurns } from '../../packages/server/src/connections/arrivals.ts';
import { until } from '../support/patience.ts';

const BUSY = 20;
const NEW = 20;
const ROUNDS = 10;
/** More than a turn begins requests for. Milliseconds. */
const WORK_MS = 3;

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('a server that connections arrive at', () => {
  let events: string[];
  let server: ReturnType<typeof createServer>;
  let sockets: Socket[];

  function work({ url = '' }: IncomingMessage, response: ServerResponse): void {
    events.push(url);
    const ends = performance.now() + WORK_MS;
    while (performance.now() < ends);
    response.end();
  }

  function open(): Socket {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    return socket;
  }

  async function opened(): Promise<Socket> {
    const socket = open();
    await once(socket, 'connect');
    return socket;
  }

  beforeEach(async () => {
    events = [];
    sockets = [];
    server = createServer();
    listenInTurns(server, work);
    server.on('connection', () => events.push('connection'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('accepts them between a few requests, and answers every request of the busy ones', async () => {
    const busy = await Promise.all(Array.from({ length: BUSY }, opened));
    await until(() => events.length === BUSY);
    events = [];
    for (const socket of busy) {
      let rounds = 1;
      socket.on('data', () => rounds++ < ROUNDS && socket.write(requestOf('/')));
      socket.write(requestOf('/'));
    }
    for (let i = 0; i < NEW; i++) open();
    await until(() => events.length === BUSY * ROUNDS + NEW);
    const arrived = events.flatMap((event, at) => (event === 'connection' ? [at] : []));
    // Until a second one has arrived, nothing waits.
    const between = arrived
      .slice(1)
      .map((at, i) => at - (arrived[i] ?? 0) - 1)
      .slice(2);
    // Without the limit: one for each busy connection.
    expect(Math.max(...between)).toBeLessThanOrEqual(3);
  });

  it('begins the requests of one connection in their order', async () => {
    const socket = await opened();
    const paths = Array.from({ length: 50 }, (_, i) => `/${i}`);
    let answered = '';
    socket.on('data', (bytes) => {
      answered += bytes;
      open();
    });
    for (let i = 0; i < NEW; i++) open();
    socket.write(paths.slice(0, 30).map(requestOf).join(''));
    await until(() => events.includes('/5'));
    socket.write(paths.slice(30).map(requestOf).join(''));
    await until(() => answered.split('HTTP/1.1 200 OK').length === paths.length + 1);
    expect(events.filter((event) => event !== 'connection')).toEqual(paths);
  });

  it('does not begin the request of a client that has gone meanwhile', async () => {
    const [gone, ...busy] = [await opened(), ...(await Promise.all(Array.from({ length: 5 }, opened)))];
    await until(() => events.length === 6);
    server.prependListener('request', ({ url }) => {
      if (url === '/gone') gone.resetAndDestroy();
    });
    events = [];
    let arrived = 0;
    server.on('connection', () => {
      if (++arrived !== 3) return;
      for (const socket of busy) socket.write(requestOf('/'));
      gone.write(requestOf('/gone'));
    });
    for (let i = 0; i < NEW; i++) open();
    await until(() => events.length >= busy.length + NEW);
    expect(events).not.toContain('/gone');
    expect(gone.destroyed).toBe(true);
  });
});
