import { createServer } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createClientErrorHandler } from '../../packages/server/src/connections/client-errors.ts';
import { createLongRequests } from '../../packages/server/src/connections/long-requests.ts';
import { connected } from '../support/sockets.ts';

const LIMIT_MS = 300;

let close: () => void = () => undefined;
afterEach(() => close());

/** A server with a short timeout for requests, on which uploads may take longer, as in the service. */
async function serve(): Promise<number> {
  const longRequests = createLongRequests();
  const server = createServer({ requestTimeout: LIMIT_MS, connectionsCheckingInterval: 50 }, (request, response) => {
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
  server.on('clientError', createClientErrorHandler(longRequests.has));
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
