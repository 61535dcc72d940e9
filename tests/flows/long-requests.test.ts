import { afterEach, expect, it } from 'vitest';
import { type ConnectionLimits, createConnections } from '../../packages/server/src/connections/connections.ts';
import { connected } from '../support/sockets.ts';

const LIMIT_MS = 300;

let close: () => void = () => undefined;
afterEach(() => close());

/** The server of the program with short timeouts, on which uploads may take longer, as in the service. */
async function serve(limits: ConnectionLimits = { requestTimeout: LIMIT_MS }): Promise<number> {
  const connections = createConnections({ connectionsCheckingInterval: 50, headersTimeout: 0, ...limits });
  const { longRequests } = connections;
  const server = connections.createServer((request, response) => {
    if (request.url === '/long') longRequests.add(request);
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on('end', () => {
      longRequests.delete(request);
      response.end(`received ${received}`);
    });
    request.on('error', () => undefined);
  });
  server.on('clientError', connections.onClientError);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/**
 * Sends a body of ten bytes over more than twice the timeout, as often as requested. Resolves to everything received.
 */
async function trickle(port: number, path: string, times: number): Promise<string> {
  const socket = await connected(port);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  for (let time = 0; time < times; time++) {
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n`);
    for (let sent = 0; sent < 10; sent++) {
      await new Promise((resolve) => setTimeout(resolve, (2.2 * LIMIT_MS) / 10));
      if (!socket.destroyed) socket.write('x');
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  socket.destroy();
  return answer;
}

it('an upload may take longer than other requests, and so may the next one on its connection', async () => {
  const answer = await trickle(await serve(), '/long', 2);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  expect(answer.match(/received 10/g)).toHaveLength(2);
});

it('any other slow request times out', async () => {
  expect(await trickle(await serve(), '/short', 1)).toMatch(/^HTTP\/1\.1 408 /);
});

it('headers that do not arrive in time are answered in the envelope, and the connection is closed', async () => {
  const socket = await connected(await serve({ headersTimeout: LIMIT_MS }));
  const trickling = setInterval(() => socket.writable && socket.write('a: b\r\n'), 20);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.on('error', () => undefined); // what was written after the answer
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
  await new Promise((resolve) => socket.once('end', resolve));
  clearInterval(trickling);
  socket.destroy();
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(body)).toMatchObject({ result: 'error', code: 'request.timeout', http_code: 408 });
});

it('the program cuts headers off within a minute', () => {
  const server = createConnections().createServer(() => undefined);
  expect(server.headersTimeout).toBeGreaterThan(0);
  expect(server.headersTimeout).toBeLessThan(60_000);
});
