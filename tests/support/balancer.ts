import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { Agent, createServer, get, request } from 'node:http';
import { join } from 'node:path';
import { createFolder } from './databases.ts';
import { until } from './patience.ts';
import { freePort } from './ports.ts';

/** Distributes requests among nodes by `/health/ready`. */
export interface Balancer {
  readonly address: string;
  close(): Promise<void>;
}

/** Interval of health checks, in milliseconds. One failure removes a node, one success restores it. */
export const CHECK_MS = 100;
/** Timeout of a health check, in milliseconds. Long, because nodes are slow but not down during a full test run. */
const CHECK_TIMEOUT_MS = 10_000;

const isReady = (node: string) =>
  new Promise<boolean>((resolve) => {
    const asked = get(`${node}/health/ready`, { agent: false, timeout: CHECK_TIMEOUT_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
  });

/** Starts a minimal balancer with keep-alive connections to the nodes and without retries. */
export async function startOwnBalancer(nodes: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = await Promise.all(nodes.map(isReady));
  let turn = 0;
  let isClosed = false;
  // Each node separately, one check after the other: a late response of a busy node must not override a newer one.
  const watch = async (node: string, index: number) => {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
      ready[index] = await isReady(node);
    }
  };
  const watching = nodes.map(watch);
  const server = createServer((incoming, outgoing) => {
    const up = nodes.filter((_node, index) => ready[index]);
    const node = up[turn++ % Math.max(1, up.length)];
    const fail = (status: number) => {
      if (!outgoing.headersSent) outgoing.writeHead(status);
      outgoing.end();
    };
    if (node === undefined) {
      fail(503);
      return;
    }
    const { method = 'GET', url = '/', headers } = incoming;
    const { connection: _hop, ...passed } = headers;
    const forwarded = request(node + url, { method, agent, headers: passed }, (answer) => {
      const { connection: _own, 'keep-alive': _limit, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => fail(502));
    incoming.pipe(forwarded);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${port}`,
    async close() {
      isClosed = true;
      await Promise.all(watching);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const HAPROXY = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy', '/opt/homebrew/bin/haproxy'];

/** Returns the path of HAProxy on this machine; null if it is not installed. */
export function findHaproxy(): string | null {
  const isThere = (path: string) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return HAPROXY.find(isThere) ?? null;
}

const haproxyBackend = (nodes: readonly string[]) => `  option httpchk GET /health/ready
  timeout check ${CHECK_TIMEOUT_MS}ms
  default-server check inter ${CHECK_MS}ms fall 1 rise 1
${nodes.map((node, index) => `  server node${index} ${new URL(node).host}`).join('\n')}
`;

/** Starts HAProxy without retries, so that failures are visible. */
export async function startHaproxy(program: string, nodes: readonly string[]): Promise<Balancer> {
  const { path, remove } = createFolder();
  const port = await freePort();
  const file = join(path, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  retries 0
  timeout connect 10s
  timeout client 60s
  timeout server 60s
  http-reuse aggressive
frontend all
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
${haproxyBackend(nodes)}`,
  );
  const child: ChildProcess = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const address = `http://127.0.0.1:${port}`;
  await until(() => isReady(address));
  return {
    address,
    async close() {
      child.kill('SIGKILL');
      await exit;
      remove();
    },
  };
}
