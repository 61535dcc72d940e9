import { spawn } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { createFolder } from './databases.ts';
import { until } from './patience.ts';
import { freePort } from './ports.ts';
import { serverUser } from './postgres-server.ts';
import { installed, librariesOf } from './proxies.ts';

/** A PgBouncer in front of a Postgres server. */
export interface PgBouncer {
  /** Returns the URL of the database `name` through it. */
  url(name: string): string;
  stop(): Promise<void>;
}

/** Packages of the program and its libraries, by their names in releases of Debian and Ubuntu. */
const PACKAGES = ['pgbouncer', 'libevent-2.1-7', 'libevent-2.1-7t64', 'libc-ares2', 'libcares2'];

/** Starts PgBouncer with little more than the mode configured. It ignores no parameters. */
export async function startPgBouncer(
  { port: server }: { readonly port: number },
  mode: 'session' | 'transaction',
  settings: readonly string[] = [],
): Promise<PgBouncer> {
  const folder = createFolder();
  const port = await freePort();
  const files = { users: '"baobab" ""\n', ini: '' };
  files.ini = [
    '[databases]',
    `* = host=127.0.0.1 port=${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(folder.path, 'users')}`,
    `pool_mode = ${mode}`,
    ...settings,
  ].join('\n');
  chmodSync(folder.path, 0o755);
  const user = serverUser();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder.path, name);
    writeFileSync(path, content);
    if (user !== null) chownSync(path, user.uid, user.gid);
  }
  const { program: path, root } = installed('usr/sbin/pgbouncer', PACKAGES);
  const program = spawn(path, [join(folder.path, 'ini')], {
    ...user,
    cwd: folder.path,
    env: { ...process.env, ...librariesOf(root) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  program.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-10_000);
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    program.once('error', (error) => {
      said += error.message;
      resolve();
    });
    program.once('exit', () => resolve());
  }).then(() => {
    hasEnded = true;
  });
  const url = (name: string) => `postgres://baobab@127.0.0.1:${port}/${name}`;
  async function answers(): Promise<boolean> {
    if (hasEnded) throw new Error(`PgBouncer did not start:\n${said}`);
    const sql = postgres(url('postgres'), { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`select 1`.simple();
      return true;
    } catch {
      return false;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  async function stop(): Promise<void> {
    program.kill('SIGTERM');
    await ended;
    folder.remove();
  }
  try {
    await until(answers);
  } catch (error) {
    await stop();
    throw new Error(`PgBouncer does not answer:\n${said}`, { cause: error });
  }
  return { url, stop };
}
