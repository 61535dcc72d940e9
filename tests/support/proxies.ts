import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createFolder } from './databases.ts';
import { filledOnce } from './filled-once.ts';
import { until } from './patience.ts';
import { freePort } from './ports.ts';

/** A proxy in front of a server. */
export interface RunningProxy {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** A program of Debian or Ubuntu. */
export interface Installed {
  readonly program: string;
  /** Folder of the unpacked packages; empty if they are installed. */
  readonly root: string;
}

/**
 * Finds a program, or unpacks the packages that contain it, without root permissions. Later runs reuse them.
 *
 * @param program path without the leading slash
 * @param packages names in any release; those absent from a release are skipped
 */
export function installed(program: string, packages: readonly string[]): Installed {
  if (existsSync(`/${program}`)) return { program: `/${program}`, root: '' };
  const root = filledOnce(packages[0] ?? '', (folder) => {
    const quiet = { cwd: folder, stdio: 'pipe' } as const;
    const downloaded = () => readdirSync(folder).filter((file) => file.endsWith('.deb'));
    const download = () => {
      for (const name of packages) {
        try {
          execFileSync('apt-get', ['download', name], quiet);
        } catch {
          // This release has no such package; the program is in one with another name.
        }
      }
    };
    download();
    if (downloaded().length === 0) {
      // A fresh machine has no package lists yet.
      execFileSync('apt-get', ['update'], quiet);
      download();
    }
    for (const file of downloaded()) execFileSync('dpkg-deb', ['--extract', file, '.'], quiet);
    if (!existsSync(join(folder, program))) throw new Error(`This test needs the package "${packages[0]}": install it`);
  });
  return { program: join(root, program), root };
}

/** Returns the variable by which an unpacked program finds its libraries. */
export const librariesOf = (root: string): Record<string, string> => {
  const folders = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((machine) => join(root, 'usr/lib', machine));
  return root === '' ? {} : { LD_LIBRARY_PATH: folders.join(':') };
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

interface Started {
  readonly program: Installed;
  readonly args: (file: string, folder: string) => readonly string[];
  readonly configuration: (port: number, folder: string) => string;
}

/** Starts a proxy on a free port. Resolves when it listens. */
export async function startProxy({ program: { program, root }, args, configuration }: Started): Promise<RunningProxy> {
  const folder = createFolder();
  const port = await freePort();
  const file = join(folder.path, 'configuration');
  writeFileSync(file, configuration(port, folder.path));
  const env = { ...process.env, HOME: folder.path, ...librariesOf(root) };
  const child = spawn(program, args(file, folder.path), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      said += error.message;
      resolve();
    });
    child.once('exit', () => resolve());
  }).then(() => {
    hasEnded = true;
  });
  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    await ended;
    folder.remove();
  }
  try {
    await until(async () => {
      if (hasEnded) throw new Error(`${program} did not start: ${said}`);
      return isListening(port);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, url: `http://127.0.0.1:${port}`, stop };
}

const APACHE_LIBRARIES = ['libapr1', 'libapr1t64', 'libaprutil1', 'libaprutil1t64'];
/** Modules that Debian enables, and those that the documentation requires. */
const APACHE_MODULES = ['mpm_event', 'authz_core', 'headers', 'proxy', 'proxy_http', 'reqtimeout'];

/** Starts Apache httpd with these directives in a virtual host. */
export const startApache = (directives: string): Promise<RunningProxy> => {
  const program = installed('usr/sbin/apache2', ['apache2-bin', ...APACHE_LIBRARIES]);
  return startProxy({
    program,
    args: (file) => ['-DFOREGROUND', '-f', file],
    configuration: (port, folder) =>
      [
        ...APACHE_MODULES.map(
          (name) => `LoadModule ${name}_module ${program.root}/usr/lib/apache2/modules/mod_${name}.so`,
        ),
        `ServerRoot ${folder}`,
        `DefaultRuntimeDir ${folder}`,
        `PidFile ${folder}/pid`,
        `ErrorLog ${folder}/error.log`,
        `Mutex file:${folder}`,
        'ServerName example.org',
        ...(process.getuid?.() === 0 ? ['User nobody', 'Group nogroup'] : []),
        `Listen 127.0.0.1:${port}`,
        `<VirtualHost 127.0.0.1:${port}>`,
        directives,
        '</VirtualHost>\n',
      ].join('\n'),
  });
};

/** Starts Caddy with a configuration of `example.org`, but listening without TLS. */
export const startCaddy = (configuration: string): Promise<RunningProxy> =>
  startProxy({
    program: installed('usr/bin/caddy', ['caddy']),
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configuration: (port) =>
      `{\n  admin off\n}\n${configuration.replace(/^example\.org/m, `http://127.0.0.1:${port}`)}`,
  });
