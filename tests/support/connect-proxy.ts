import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** A proxy as in closed networks, which is the only way to the outside. */
export interface ConnectProxy {
  readonly url: string;
  /** Targets of tunnels (`host:port`) and URLs of plain requests, oldest first. */
  readonly asked: string[];
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** Credentials required by the proxy; default: none. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /** Addresses of targets that no name server knows. */
  readonly routes?: Readonly<Record<string, { readonly host: string; readonly port: number }>>;
}

/** Starts an HTTP proxy with `CONNECT` in this process. */
export async function startConnectProxy({ credentials, routes = {} }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const expected =
    credentials === undefined
      ? undefined
      : `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
  const server = createServer((incoming, response) => {
    asked.push(incoming.url ?? '');
    if (incoming.headers['proxy-authorization'] !== expected) return void response.writeHead(407).end();
    const target = new URL(incoming.url ?? '');
    const { host, port } = routes[target.host] ?? { host: target.hostname, port: Number(target.port) };
    const { 'proxy-authorization': _ours, ...headers } = incoming.headers;
    const options = { host, port, method: incoming.method, path: target.pathname + target.search, headers };
    const onwards = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.writeHead(502).end());
    incoming.pipe(onwards);
  });
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  server.on('connect', ({ url = '', headers }, near: Socket) => {
    asked.push(url);
    if (headers['proxy-authorization'] !== expected) {
      return void near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    }
    const { hostname, port } = new URL(`tcp://${url}`);
    const far = connect(routes[url] ?? { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    sockets.add(far);
    far.on('error', () => near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    far.once('connect', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  const login = credentials === undefined ? '' : `${credentials.user}:${encodeURIComponent(credentials.password)}@`;
  return {
    url: `http://${login}127.0.0.1:${address.port}`,
    asked,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
