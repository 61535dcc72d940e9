import { createServer } from 'node:http';

/** Pages on a separate origin. */
export interface Pages {
  /** The origin, without a trailing slash. */
  readonly origin: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  pdf: 'application/pdf',
};

/** Serves files by path from a separate origin. */
export async function servePages(files: Readonly<Record<string, string | Buffer>>): Promise<Pages> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const file = files[path];
    const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the page server does not listen');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
