import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolder } from './databases.ts';
import { until } from './patience.ts';
import { freePort } from './postgres-server.ts';

/** An nginx in front of a service. */
export interface Nginx {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

const INSTALLED = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'];
/** Where the packages are unpacked if nginx is not installed. Later runs use them again. */
const UNPACKED = join(tmpdir(), 'baobab-nginx');
const PACKAGES = ['nginx', 'nginx-light', 'nginx-core'];

/** Unpacks the packages of Debian or Ubuntu, for which nobody has to be root. Resolves to the program. */
function unpack(): string {
  const program = join(UNPACKED, 'usr/sbin/nginx');
  if (existsSync(program)) return program;
  mkdirSync(UNPACKED, { recursive: true });
  const quiet = { cwd: UNPACKED, stdio: 'pipe' } as const;
  const downloaded = () => readdirSync(UNPACKED).filter((file) => file.endsWith('.deb'));
  const download = () => {
    for (const name of PACKAGES) {
      try {
        execFileSync('apt-get', ['download', name], quiet);
      } catch {
        // This release has no such package: the one with the program has another name.
      }
    }
  };
  download();
  if (downloaded().length === 0) {
    // A fresh machine has no list of packages yet.
    execFileSync('apt-get', ['update'], quiet);
    download();
  }
  const packages = downloaded();
  for (const file of packages) execFileSync('dpkg-deb', ['--extract', file, '.'], quiet);
  if (!existsSync(program)) throw new Error('This test needs nginx: install the package "nginx"');
  return program;
}

const nginxPath = (): string => INSTALLED.find((path) => existsSync(path)) ?? unpack();

/** Directives without which nginx would write outside of the folder. */
const places = (folder: string) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join('\n');

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/**
 * Starts an nginx on a free port. Resolves when it listens.
 *
 * @param configure returns what stands in the block `http`; its server must listen on this port
 */
export async function startNginx(configure: (port: number) => string): Promise<Nginx> {
  const folder = createFolder();
  const port = await freePort();
  const file = join(folder.path, 'nginx.conf');
  const lines = [
    'daemon off;',
    // The workers of a root shell need access to the folder.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'worker_processes 1;',
    `pid ${join(folder.path, 'nginx.pid')};`,
    'error_log stderr warn;',
    'events {}',
    `http {\naccess_log off;\n${places(folder.path)}\n${configure(port)}\n}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const program = spawn(nginxPath(), ['-e', 'stderr', '-p', folder.path, '-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  let hasEnded = false;
  program.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise<void>((resolve) => {
    program.once('error', (error) => {
      said += error.message;
      resolve();
    });
    program.once('exit', () => resolve());
  }).then(() => {
    hasEnded = true;
  });
  async function stop(): Promise<void> {
    program.kill('SIGTERM');
    await ended;
    folder.remove();
  }
  const isReady = async () => {
    if (hasEnded) throw new Error(`nginx did not start: ${said}`);
    return isListening(port);
  };
  try {
    await until(isReady);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, url: `http://127.0.0.1:${port}`, stop };
}

/** A server that passes everything on to a service, with a path in `proxy_pass`: nginx decodes and resolves the path. */
export const decodingServer = (service: number) => (port: number) =>
  `
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://127.0.0.1:${service}/;
    proxy_set_header Host $http_host;
  }
}`;
