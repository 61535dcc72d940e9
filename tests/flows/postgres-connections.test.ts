import { createServer, type Server } from 'node:net';
import { createPostgresArchive } from '@baobab/adapters/archive';
import { createPostgresStorage, inspectPostgres } from '@baobab/adapters/postgres';
import { parsePostgresUrl } from '@baobab/adapters/postgres-url';
import { isAppError } from '@baobab/core';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive } from '../../packages/server/src/composition/archives.ts';
import { parseConfig } from '../../packages/server/src/config.ts';
import { reasonOf } from '../../packages/server/src/faults/explain.ts';
import { type Authority, type Certificate, createAuthority } from '../support/certificates.ts';
import { runCommand } from '../support/command.ts';
import { createFolder } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { silentLogger } from '../support/logger.ts';
import { readDocument } from '../support/markdown.ts';
import { freePort } from '../support/ports.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startProgram } from '../support/program.ts';

let folder: string;
let authority: Authority;
let stranger: Authority;
let client: Certificate;
let server: PostgresServer;
let sql: Sql;
const cleanups: Array<() => unknown> = [];

/** Users who must encrypt, users who must present a certificate, and users who need neither. */
const ACCESS = [
  'local all all trust',
  'host all baobab 127.0.0.1/32 trust',
  'host replication baobab 127.0.0.1/32 trust',
  'hostssl all encrypted 127.0.0.1/32 scram-sha-256',
  'hostssl all certified 127.0.0.1/32 cert',
  'hostnossl all plain 127.0.0.1/32 trust',
];

beforeAll(async () => {
  const created = createFolder();
  folder = created.path;
  cleanups.push(created.remove);
  authority = createAuthority(folder, 'authority');
  stranger = createAuthority(folder, 'stranger');
  client = authority.issue('certified');
  const { cert, key } = authority.issue('server', ['DNS:localhost']);
  server = await startPostgres({ tls: { cert, key, ca: authority.cert }, access: ACCESS });
  cleanups.push(server.stop);
  sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  cleanups.push(() => sql.end());
  await sql`create role encrypted login superuser password 'secret'`;
  await sql`create role certified login superuser`;
  await sql`create role plain login superuser`;
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

const PASSWORDS: Readonly<Record<string, string>> = { encrypted: ':secret' };
const urlOf = (user: string, host: string, query: string) =>
  `postgres://${user}${PASSWORDS[user] ?? ''}@${host}:${server.port}/postgres?${query}`
    .replaceAll('CA', encodeURIComponent(authority.certFile))
    .replaceAll('STRANGER', encodeURIComponent(stranger.certFile))
    .replaceAll('CERT', encodeURIComponent(client.certFile))
    .replaceAll('KEY', encodeURIComponent(client.keyFile));

/** `ok`, or the code of the driver, of the system or of TLS. */
async function outcome(url: string): Promise<string> {
  try {
    await inspectPostgres({ url });
    return 'ok';
  } catch (error) {
    const cause = isAppError(error) ? error.cause : error;
    return cause instanceof Error && 'code' in cause ? String(cause.code) : String(error);
  }
}

const UNTRUSTED = expect.stringMatching(/^(?:UNABLE_TO_|SELF_SIGNED_)/);
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const NOT_ALLOWED = '28000';

describe('sslmode', () => {
  it.each([
    ['encrypted', 'localhost', 'sslmode=disable', NOT_ALLOWED],
    ['plain', 'localhost', 'sslmode=disable', 'ok'],
    ['encrypted', 'localhost', 'sslmode=allow', 'ok'],
    ['plain', 'localhost', 'sslmode=allow', 'ok'],
    ['encrypted', 'localhost', '', 'ok'],
    ['plain', 'localhost', 'sslmode=prefer', 'ok'],
    ['encrypted', '127.0.0.1', 'sslmode=require', 'ok'],
    ['plain', 'localhost', 'sslmode=require', NOT_ALLOWED],
    ['encrypted', 'localhost', 'sslmode=require&sslrootcert=CA', 'ok'],
    ['encrypted', 'localhost', 'sslmode=require&sslrootcert=STRANGER', UNTRUSTED],
    ['encrypted', 'localhost', 'sslmode=verify-ca', UNTRUSTED],
    ['encrypted', '127.0.0.1', 'sslmode=verify-ca&sslrootcert=CA', 'ok'],
    ['encrypted', 'localhost', 'sslmode=verify-full', UNTRUSTED],
    ['encrypted', 'localhost', 'sslmode=verify-full&sslrootcert=STRANGER', UNTRUSTED],
    ['encrypted', 'localhost', 'sslmode=verify-full&sslrootcert=CA', 'ok'],
    ['encrypted', '127.0.0.1', 'sslmode=verify-full&sslrootcert=CA', OTHER_NAME],
    ['encrypted', 'localhost', 'sslrootcert=system', UNTRUSTED],
    ['encrypted', 'localhost', 'sslmode=verify-full&sslrootcert=/none.pem', 'ENOENT'],
    ['encrypted', 'localhost', 'sslmode=require&channel_binding=require', UNTRUSTED],
    ['encrypted', 'localhost', 'sslmode=require&channel_binding=require&sslrootcert=CA', 'ok'],
    ['encrypted', '127.0.0.1', 'channel_binding=require&sslrootcert=CA', OTHER_NAME],
    ['encrypted', 'localhost', 'sslmode=require&ssl_min_protocol_version=TLSv1.3', 'ok'],
    ['certified', 'localhost', 'sslmode=require', NOT_ALLOWED],
    ['certified', 'localhost', 'sslmode=verify-full&sslrootcert=CA&sslcert=CERT&sslkey=KEY', 'ok'],
  ])('of the user %s at %s with "%s" ends with %s', async (user, host, query, expected) => {
    expect(await outcome(urlOf(user, host, query))).toEqual(expected);
  });

  it('is told apart on a server without encryption', async () => {
    const other = await startPostgres();
    cleanups.push(other.stop);
    const at = (mode: string) => outcome(`${other.url}?sslmode=${mode}`);
    expect([await at('prefer'), await at('allow'), await at('require')]).toEqual([
      'ok',
      'ok',
      'CONNECTION_UNENCRYPTED',
    ]);
  });

  it('has faults that doctor explains', async () => {
    const env = { BLOB_URL: 'memory:', SECRET_KEY: 'k'.repeat(40) };
    const doctor = async (query: string, host = 'localhost') => {
      const { code, output } = await runCommand(['doctor'], { ...env, DATABASE_URL: urlOf('encrypted', host, query) });
      expect(code).toBe(1);
      return output;
    };
    expect(await doctor('sslmode=verify-full')).toMatch(/authority.*sslrootcert.*NODE_EXTRA_CA_CERTS/is);
    expect(await doctor('sslmode=verify-full&sslrootcert=CA', '127.0.0.1')).toMatch(/name of the certificate/);
    expect(await doctor('sslrootcrt=x')).toContain('DATABASE_URL cannot be used: the parameter "sslrootcrt"');
  });
});

it('a copy over a direct connection that fails names the variable of that connection', async () => {
  const config = parseConfig({
    DATABASE_URL: `postgres://localhost:${await freePort()}/app`,
    DATABASE_LISTEN_URL: `postgres://localhost:${await freePort()}/app`,
  });
  const archive = openArchive(config.database, silentLogger);
  for (const work of [archive.isInUse, archive.source, archive.target]) {
    const failure = await work().then(
      () => null,
      (error: unknown) => error,
    );
    expect(reasonOf(failure, config)).toMatch(/^DATABASE_LISTEN_URL: no Postgres server answers/);
  }
});

describe('channel_binding=require', () => {
  const REQUIRED = 'sslmode=require&channel_binding=require';

  /** Codes of the failures of every kind of connection. */
  async function outcomes(url: string): Promise<string[]> {
    const storage = createPostgresStorage({ url, logger: silentLogger });
    const archive = createPostgresArchive({ url, logger: silentLogger });
    const codeOf = (error: unknown) => String(isAppError(error) ? (error.cause as { code?: string })?.code : error);
    const codes: string[] = [];
    for (const work of [() => storage.migrate(), () => storage.settings.all(), () => archive.status()]) {
      codes.push(await work().then(() => 'ok', codeOf));
    }
    await storage.close();
    return [await outcome(url), ...codes];
  }

  it('verifies the certificate for every connection', async () => {
    expect(await outcomes(urlOf('encrypted', 'localhost', REQUIRED))).toEqual(Array(4).fill(UNTRUSTED));
    expect(await outcomes(urlOf('encrypted', 'localhost', `${REQUIRED}&sslrootcert=CA`))).toEqual(Array(4).fill('ok'));
  });

  it('is named, with the variable, when only the direct connection requires it', async () => {
    const env = {
      DATABASE_URL: urlOf('encrypted', '127.0.0.1', 'sslmode=require'),
      DATABASE_LISTEN_URL: urlOf('encrypted', 'localhost', REQUIRED),
      BLOB_URL: 'memory:',
      SECRET_KEY: 'k'.repeat(40),
    };
    const program = startProgram(env);
    cleanups.push(() => program.dispose());
    const { reason } = JSON.parse(await program.line('database unavailable, retrying'));
    expect(reason).toMatch(
      /^DATABASE_LISTEN_URL: the certificate of Postgres at localhost:\d+ comes from an authority that is not trusted, which channel_binding=require demands; .*sslrootcert/,
    );
    const { output } = await runCommand(['doctor'], env);
    expect(output).toMatch(/Postgres at \S*localhost\S* cannot be used: .*sslrootcert.*\(DATABASE_LISTEN_URL\)/);
  });
});

describe('several hosts', () => {
  let standby: PostgresServer;
  let silent: Server;
  let silentPort: number;

  beforeAll(async () => {
    const { cert, key } = authority.issue('standby');
    standby = await startPostgres({ replicaOf: server, tls: { cert, key, ca: authority.cert }, access: ACCESS });
    cleanups.push(standby.stop);
    silent = createServer();
    silentPort = await freePort();
    await new Promise<void>((resolve) => silent.listen(silentPort, '127.0.0.1', resolve));
    cleanups.push(() => silent.close());
  });

  const isStandby = async (hosts: string, query = '') => {
    const storage = createPostgresStorage({
      url: `postgres://baobab@${hosts}/postgres?${query}`,
      logger: silentLogger,
    });
    await storage.health().catch(() => undefined); // there are no tables
    const rows = await sql`select 1 from pg_stat_activity where application_name = 'baobab'`;
    await storage.close();
    return rows.length === 0;
  };

  it('are searched for the one that accepts writes', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    const [first, second] = [`127.0.0.1:${standby.port}`, `127.0.0.1:${server.port}`];
    expect(await isStandby(`${first},${second}`)).toBe(false);
    expect(await isStandby(`${dead},${first},${second}`, 'target_session_attrs=primary')).toBe(false);
    expect(await isStandby(`127.0.0.1:${silentPort},${second}`, 'connect_timeout=1')).toBe(false);
    expect(await isStandby(`${second},${first}`, 'target_session_attrs=standby')).toBe(true);
    expect(await isStandby(`${second},${first}`, 'target_session_attrs=prefer-standby')).toBe(true);
    expect(await isStandby(`${second},${dead}`, 'target_session_attrs=prefer-standby')).toBe(false);
    expect(await isStandby(`${first},${second}`, 'target_session_attrs=any')).toBe(true);
  });

  it('fail with the reason of each', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    const url = `postgres://baobab@${dead},127.0.0.1:${standby.port}/postgres`;
    await expect(inspectPostgres({ url })).rejects.toMatchObject({
      code: 'storage.unavailable',
      cause: {
        code: 'CONNECTION_NO_SERVER',
        message: expect.stringMatching(/ECONNREFUSED.*; 127\.0\.0\.1:\d+: the server accepts no writes$/),
      },
    });
  });
});

describe('a Unix socket', () => {
  it.each([
    ['as a parameter', () => `postgres:///postgres?host=${server.socketFolder}&port=${server.port}&user=baobab`],
    ['with a user', () => `postgres://baobab@/postgres?host=${server.socketFolder}&port=${server.port}`],
    [
      'in the place of the host',
      () => `postgres://baobab@${encodeURIComponent(server.socketFolder)}:${server.port}/postgres`,
    ],
    [
      'with sslmode=require, which is meant for networks',
      () => `postgres:///postgres?host=${server.socketFolder}&port=${server.port}&user=baobab&sslmode=require`,
    ],
  ])('can be named %s', async (_how, url) => {
    expect(await outcome(url())).toBe('ok');
  });
});

describe('the connection URLs of the deployment pages', () => {
  const settings = fences(readDocument('docs/deploy-postgres.md'))
    .filter(({ info }) => info === 'postgres-url')
    .flatMap(({ text }) => text.trim().split('\n'))
    .map((line) => ({ name: line.slice(0, line.indexOf('=')), url: line.slice(line.indexOf('=') + 1) }));

  it('are found', () => {
    expect(settings.length).toBeGreaterThan(8);
    expect(new Set(settings.map(({ name }) => name))).toEqual(new Set(['DATABASE_URL', 'DATABASE_LISTEN_URL']));
  });

  it.each(settings)('connect to a server that enforces their parameters: $url', async ({ url }) => {
    const { hosts, tls } = parsePostgresUrl(url);
    const [, query = ''] = url.split('?');
    // The same parameters, with our server, its user, and its authority in the place of a public one.
    const parameters = new URLSearchParams(query);
    if (tls.verifies !== 'nothing') parameters.set('sslrootcert', authority.certFile);
    const user = tls.mode === 'prefer' ? 'baobab' : 'encrypted:secret';
    const place = hosts.map(() => `localhost:${server.port}`).join(',');
    const at = (trusted: string) => {
      if (tls.verifies !== 'nothing') parameters.set('sslrootcert', trusted);
      return outcome(`postgres://${user}@${place}/postgres?${parameters}`);
    };
    expect(await at(authority.certFile)).toBe('ok');
    if (tls.verifies !== 'nothing') expect(await at(stranger.certFile)).toEqual(UNTRUSTED);
  });

  it('may name the endpoint in options', async () => {
    const url = urlOf('encrypted', 'localhost', 'sslmode=require&options=-c%20geqo%3Doff&application_name=shop');
    const storage = createPostgresStorage({ url, logger: silentLogger });
    await storage.health().catch(() => undefined);
    expect(await sql`select 1 from pg_stat_activity where application_name = 'shop'`).toHaveLength(1);
    await storage.close();
  });
});
