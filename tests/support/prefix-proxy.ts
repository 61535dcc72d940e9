import { createServer, request, type Server } from 'node:http';

export const PREFIX = '/some/prefix';

/** Starts a proxy that serves Baobab below a path. */
export async function startPrefixProxy(port: number): Promise<{ origin: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${PREFIX}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const path = url.slice(PREFIX.length);
    const passed = request({ host: '127.0.0.1', port, method, headers, path }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return { origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, server };
}
