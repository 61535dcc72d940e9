// A minimal event server: it keeps every response and writes each message to all of them. Nothing is stored and no
// client is authenticated.
import { createServer, type ServerResponse } from 'node:http';

const responses = new Set<ServerResponse>();

createServer((request, response) => {
  if (request.method !== 'POST') {
    if (request.url === '/ready') {
      response.end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(':\n\n');
    responses.add(response);
    request.once('close', () => responses.delete(response));
    return;
  }
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    const event = `event: put\ndata: ${body}\n\n`;
    for (const one of responses) one.write(event);
    response.end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
