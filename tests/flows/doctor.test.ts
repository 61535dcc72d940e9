import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Surroundings } from '../../packages/server/src/doctor/check.ts';
import { examine } from '../../packages/server/src/doctor/doctor.ts';
import { unknownVariables } from '../../packages/server/src/environment.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { backupFaults, type Fault, PLAIN_FAULTS, ranOn, refusing, type Variables } from '../support/doctor-faults.ts';
import { silentLogger } from '../support/logger.ts';
import { startCommand } from '../support/program.ts';
import { startMailServer, startSilentServer } from '../support/smtp.ts';

const GB = 1_000_000_000;
const SURROUNDINGS: Surroundings = {
  now: Date.now,
  roomOf: async () => ({ free: 100 * GB, size: 200 * GB }),
  cores: 2,
  memory: 16 * GB,
};

describe('baobab doctor', () => {
  let folder: ReturnType<typeof createFolder>;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  const closing: Array<() => unknown> = [];
  const s3 = inject('s3');

  const at = (name: string) => join(folder.path, name);
  const healthy = (): Variables => ({
    DATA_DIR: at('data'),
    HOST: '127.0.0.1',
    PORT: '0',
    APP_CODE: 'of the tests',
    SECRET_KEY: 'a key of the tests, forty characters long',
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  const examined = (variables: Variables, surroundings: Partial<Surroundings> = {}) => {
    const env = { ...healthy(), ...variables };
    const found = { ...SURROUNDINGS, ...surroundings };
    return examine({ env, unknown: unknownVariables(env), logger: silentLogger, surroundings: found });
  };
  const faultsOf = async (...args: Parameters<typeof examined>) =>
    (await examined(...args)).filter(({ state }) => state === 'fault');

  const withUrl = (change: (url: URL) => void): Variables => {
    const url = new URL(database.url);
    change(url);
    return { DATABASE_URL: url.href };
  };

  /** A migrated database. */
  async function createFile(name: string, settings: Readonly<Record<string, string>> = {}): Promise<Variables> {
    const storage = createSqliteStorage({ path: at(name), logger: silentLogger });
    await storage.migrate();
    for (const [key, value] of Object.entries(settings)) await storage.settings.set({ key, value });
    await storage.close();
    return { DATABASE_URL: `sqlite:${at(name)}` };
  }

  /** A server that takes a port. */
  async function takePort(server = createServer()): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    return String((server.address() as AddressInfo).port);
  }

  beforeAll(async () => {
    folder = createFolder();
    mkdirSync(at('data'), { mode: 0o700 });
    database = await createDatabase();
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await database.drop();
    folder.remove();
  });

  const FAULTS: readonly Fault[] = [
    {
      name: 'a Postgres that does not answer',
      plant: () =>
        withUrl((url) => {
          url.port = '1';
        }),
      check: 'database',
      text: /Postgres at .*:1\/.* cannot be used: .*ECONNREFUSED/,
      remedy: /correct host and port.*\(DATABASE_URL\)$/,
    },
    {
      name: 'a host that does not exist',
      plant: () =>
        withUrl((url) => {
          url.hostname = 'no-such-host.invalid';
        }),
      check: 'database',
      text: /no-such-host\.invalid/,
      remedy: /^Correct the host name.*\(DATABASE_URL\)$/,
    },
    {
      name: 'a wrong user or password',
      plant: () =>
        withUrl((url) => {
          url.username = 'nobody_at_all';
          url.password = 'wrong';
        }),
      check: 'database',
      text: /nobody_at_all/,
      remedy: /(correct them|create the role).*\(DATABASE_URL\)$/i,
    },
    {
      name: 'a wrong database name',
      plant: () =>
        withUrl((url) => {
          url.pathname = '/no_such_database';
        }),
      check: 'database',
      text: /no_such_database/,
      remedy: /CREATE DATABASE/,
    },
    {
      name: 'a schema that is newer than the program',
      async plant() {
        const variables = await createFile('newer.db');
        const file = new DatabaseSync(at('newer.db'));
        file.exec('update schema_version set version = 999');
        file.close();
        return variables;
      },
      check: 'database',
      text: /schema has version 999/,
      remedy: /Start the newer program/,
    },
    {
      name: 'a SQLite path that is a folder',
      plant() {
        mkdirSync(at('folder.db'));
        return { DATABASE_URL: `sqlite:${at('folder.db')}` };
      },
      check: 'database',
      text: /folder\.db is not a file/,
      remedy: /Set DATABASE_URL to a file/,
    },
    {
      name: 'a file that is no database',
      plant() {
        writeFileSync(at('text.db'), 'this is no database, although it is long enough to look like one'.repeat(20));
        return { DATABASE_URL: `sqlite:${at('text.db')}` };
      },
      check: 'database',
      text: /schema cannot be read: .*not a database/,
      remedy: /Set DATABASE_URL to a database of Baobab/,
    },
    {
      name: 'a file where a folder should be',
      plant() {
        writeFileSync(at('a-file'), '');
        return { DATA_DIR: at('a-file') };
      },
      check: 'disk',
      text: /a-file is a file, but DATA_DIR needs a folder there/,
      remedy: /Move the file away, or set DATA_DIR/,
    },
    {
      name: 'a bucket that does not exist',
      plant: () => ({ BLOB_URL: s3.url.replace(/^s3:\/\/[^?/]+/, 's3://no-such-bucket') }),
      check: 'blobs',
      text: /no-such-bucket.*there is no such bucket/,
      remedy: /^Create the bucket, or correct its name \(BLOB_URL\)$/,
    },
    {
      name: 'a wrong key for S3',
      plant: async () => ({ BLOB_URL: `s3://bucket?endpoint=http://127.0.0.1:${await takePort(refusing())}` }),
      check: 'blobs',
      text: /the credentials may not use the bucket/,
      remedy: /AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/,
    },
    {
      name: 'half of the keys for S3',
      plant: () => ({ BLOB_URL: s3.url, AWS_SECRET_ACCESS_KEY: '' }),
      check: 'configuration',
      text: /AWS_SECRET_ACCESS_KEY must be set/,
      remedy: /Correct AWS_SECRET_ACCESS_KEY/,
    },
    {
      name: 'a port that is taken',
      plant: async () => ({ PORT: await takePort() }),
      check: 'port',
      text: /PORT \d+ is taken by another program/,
      remedy: /set PORT to a free port/,
    },
    {
      name: 'no SECRET_KEY on a Postgres',
      plant: () => ({ DATABASE_URL: database.url, SECRET_KEY: '' }),
      check: 'exposure',
      text: /SECRET_KEY is not set/,
      remedy: /openssl rand -hex 32/,
    },
    {
      name: 'a data folder that others can read',
      plant() {
        mkdirSync(at('open'));
        chmodSync(at('open'), 0o755);
        return { DATA_DIR: at('open') };
      },
      check: 'exposure',
      text: /open is accessible to other users of this machine \(mode 755\)/,
      remedy: /chmod g?o-rwx/,
    },
    {
      name: 'a mail server that cannot be reached',
      async plant() {
        const server = await startSilentServer();
        await server.close();
        const file = await createFile('unreachable.db', {
          'network.smtp.host': '127.0.0.1',
          'network.smtp.port': String(server.port),
        });
        return { ...file, OUTBOUND_PRIVATE: 'on' };
      },
      check: 'mail',
      text: /The mail server cannot be reached: .*ECONNREFUSED/,
      remedy: /network\.smtp\.host/,
    },
    {
      name: 'a mail server that rejects the login',
      async plant() {
        const server = await startMailServer({ security: 'none', credentials: { user: 'ann', password: 'right' } });
        closing.push(() => server.close());
        const file = await createFile('rejected.db', {
          'network.smtp.host': '127.0.0.1',
          'network.smtp.port': String(server.port),
          'network.smtp.authentication': 'true',
          'network.smtp.user': 'ann',
        });
        return { ...file, OUTBOUND_PRIVATE: 'on' };
      },
      check: 'mail',
      text: /The mail server rejects the login/,
      remedy: /network\.smtp\.user and network\.smtp\.password/,
    },
    {
      name: 'a disk that is nearly full',
      plant: () => ({}),
      surroundings: { roomOf: async () => ({ free: GB / 2, size: 100 * GB }) },
      check: 'disk',
      text: /0\.5 GB free of 100\.0 GB/,
      remedy: /Free disk space/,
    },
    {
      name: 'a clock that is ahead',
      plant: () => ({ DATABASE_URL: database.url }),
      surroundings: { now: () => Date.now() + 60_000 },
      check: 'clock',
      text: /clock of this machine is (59|60|61)\.\d s ahead of the database/,
      remedy: /NTP/,
    },
    {
      name: 'a clock that is behind the last run',
      plant: () => ranOn(`sqlite:${at('ran.db')}`),
      surroundings: { now: () => Date.now() - 600_000 },
      check: 'clock',
      text: /, but the server ran at 2/,
      remedy: /NTP/,
    },
    {
      name: 'more connections than the server allows',
      plant: () => ({ DATABASE_URL: database.url, DATABASE_CONNECTIONS: '500' }),
      check: 'database',
      text: /opens up to 501 connections, and the server allows \d+ in all/,
      remedy: /Lower DATABASE_CONNECTIONS/,
    },
    ...backupFaults(at, s3.url),
    ...PLAIN_FAULTS,
  ];

  it('finds nothing wrong with healthy installations', async () => {
    for (const variables of [
      {},
      await createFile('healthy.db'),
      { DATABASE_URL: database.url },
      { BLOB_URL: s3.url, BACKUP_URL: s3.url },
      { HOST: '0.0.0.0', PUBLIC_URL: 'https://example.org', WORKERS: '2' },
    ]) {
      expect(await faultsOf(variables)).toEqual([]);
    }
  });

  it.each(FAULTS)('names $name, and its remedy', async ({ plant, surroundings, check, text, remedy }) => {
    const faults = await faultsOf(await plant(), surroundings);
    const found = faults.find((fault) => fault.check === check && text.test(fault.text));
    expect(found, JSON.stringify(faults)).toBeDefined();
    expect(found?.remedy).toMatch(remedy);
  });

  it('reports a data folder that cannot be used once, in the check that explains it', async () => {
    writeFileSync(at('in-the-way'), '');
    const faults = await faultsOf({ DATA_DIR: at('in-the-way') });
    expect(faults.map(({ check }) => check)).toEqual(['disk']);
  });

  it('reports a relative data folder once', async () => {
    const found = await examined({ DATA_DIR: `./${relative('', at('data'))}`, SECRET_KEY: '' });
    expect(found.filter(({ check }) => check === 'disk')).toHaveLength(1);
  });

  it('creates no folders', async () => {
    const backups = { BACKUP_URL: `file:${at('no-archives')}` };
    for (const variables of [{ DATA_DIR: at('nowhere') }, await createFile('no-backup.db')]) {
      const found = await examined({ ...variables, ...backups });
      expect(found.find(({ check }) => check === 'backups')?.state).toBe('skipped');
    }
    expect([existsSync(at('nowhere')), existsSync(at('no-archives'))]).toEqual([false, false]);
    mkdirSync(at('empty'), { mode: 0o700 });
    await examined({ DATA_DIR: at('empty') });
    expect(readdirSync(at('empty'))).toEqual([]);
  });

  it('shows no secrets', async () => {
    const variables = withUrl((url) => {
      url.username = 'nobody_at_all';
      url.password = 'opensesame';
    });
    const all = await examined({
      ...variables,
      ADMIN_PASSWORD: 'hunter2',
      SECRET_KEY: 'abababababababababababababababababab',
    });
    expect(JSON.stringify(all)).not.toMatch(/opensesame|hunter2|abababab/);
  });

  it('prints one line for each check and exits with 1 when there is a fault', async () => {
    const good = await startCommand(['doctor'], healthy()).ended;
    expect([good.code, good.errors]).toEqual([0, '']);
    expect(good.output).toMatch(/^ok {5}configuration {2}Every variable is valid\n/);
    expect(good.output).toMatch(/\nNo faults\n$/);
    const bad = await startCommand(['doctor', '--json'], { ...healthy(), RATE_LIMIT: 'off' }).ended;
    expect([bad.code, bad.errors]).toEqual([1, '']);
    const { ok, checks } = JSON.parse(bad.output);
    expect(ok).toBe(false);
    expect(checks).toContainEqual({
      check: 'exposure',
      state: 'fault',
      text: expect.stringContaining('RATE_LIMIT'),
      remedy: 'Set RATE_LIMIT=on; off is for load tests',
    });
  });
});
