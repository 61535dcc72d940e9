import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { type Program, startCommand, startProgram } from '../support/program.ts';

const MEMORY = { DATABASE_URL: 'memory:', BLOB_URL: 'memory:', ADMIN_PASSWORD: 'admin password' };

let cwd: string;
const cleanups: Array<() => unknown> = [];
beforeEach(() => {
  const { path, remove } = createFolder();
  cwd = path;
  cleanups.push(remove);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const write = (lines: Readonly<Record<string, string>>) =>
  writeFileSync(
    join(cwd, '.env'),
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );

function start(environment: Readonly<Record<string, string>>): Program {
  const program = startProgram(environment, { cwd });
  cleanups.push(() => program.dispose());
  return program;
}

const lines = (program: Program, text: string) =>
  program
    .output()
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line));

const statusWith = async (program: Program, code: string) => {
  const headers = { 'X-SERVICE-APPCODE': code };
  return (await fetch(`${await program.ready()}/me`, { headers })).status;
};

describe.each([
  ['one process', '1'],
  ['several', '2'],
])('the file .env, with %s', (_name, WORKERS) => {
  it('is read, loses against the environment, and is named in the log once, without values', async () => {
    write({ APP_CODE: 'from-the-file', ADMIN_PASSWORD: 'not-for-the-log', LOG_LEVEL: 'info', WORKERS: '3' });
    const program = start({ DATA_DIR: join(cwd, 'data'), ADMIN_PASSWORD: 'of the environment', WORKERS });
    expect(await statusWith(program, '1234567890')).toBe(400);
    expect(await statusWith(program, 'from-the-file')).toBe(401);
    if (WORKERS !== '1') await program.line('all workers serve');
    expect(lines(program, 'environment file read')).toEqual([
      expect.objectContaining({ level: 30, file: join(cwd, '.env'), variables: ['APP_CODE', 'LOG_LEVEL'] }),
    ]);
    expect(program.output()).not.toContain('not-for-the-log');
  });
});

it.each(['1', '2'])('reads secrets from files, for %s workers', async (WORKERS) => {
  const secrets = { password: 'of a file\n', database: `sqlite:${join(cwd, 'of-a-file.db')}`, key: 'k'.repeat(40) };
  for (const [name, content] of Object.entries(secrets)) writeFileSync(join(cwd, name), content);
  const program = start({
    WORKERS,
    DATA_DIR: join(cwd, 'data'),
    ADMIN_PASSWORD_FILE: 'password',
    DATABASE_URL_FILE: join(cwd, 'database'),
    SECRET_KEY_FILE: 'key',
  });
  const body = new URLSearchParams({ username: 'admin', password: 'of a file' });
  const login = await fetch(`${await program.ready()}/login`, {
    method: 'POST',
    headers: { 'X-SERVICE-APPCODE': '1234567890' },
    body,
  });
  expect([login.status, existsSync(join(cwd, 'of-a-file.db'))]).toEqual([200, true]);
  expect(existsSync(join(cwd, 'data', 'secret.key'))).toBe(false);
});

it.each([
  [{ SECRET_KEY_FILE: 'missing' }, /^baobab: SECRET_KEY_FILE: the file cannot be read; [^\n]*ENOENT[^\n]*\n$/],
  [{ SECRET_KEY_FILE: 'hidden-secret-in-place-of-a-path' }, /^baobab: SECRET_KEY_FILE: (?!.*hidden)[^\n]+\n$/],
  [{ SECRET_KYE: 'key', SECRET_KYE_FILE: 'key' }, /^baobab: SECRET_KYE_FILE is unknown [^\n]* SECRET_KEY_FILE\?\n$/],
])('does not start with %o', async (environment, expected) => {
  const program = start({ ...MEMORY, ...environment });
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.errors()).toMatch(expected);
});

it.each(['LOG_LEVEL', 'TRUST_PROXY', 'HOST', 'DATABASE_URL'])(
  'never shows the content of a file that %s_FILE names by mistake',
  async (name) => {
    writeFileSync(join(cwd, 'secret'), 'postgres://hidden:12/hidden@hidden/d');
    const env = { ...MEMORY, HOST: '', [name]: '', [`${name}_FILE`]: 'secret' };
    const program = start(env);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.errors()).toMatch(new RegExp(`^baobab: ${name}[^\\n]+\\n$`));
    const doctor = await startCommand(['doctor'], env, '', { cwd }).ended;
    expect(doctor.output).toContain(name);
    expect([program.errors(), program.output(), doctor.output, doctor.errors].join()).not.toContain('hidden');
  },
);

it('reads .env for commands too', async () => {
  write({ PORT: '1234' });
  const { output } = await startCommand(['config', 'check'], {}, '', { cwd }).ended;
  expect(output).toBe(
    'The environment with the file .env is valid: {"database":"sqlite","blobs":"file","port":1234}\n' +
      'PORT=1234 (.env, line 1)\nAll other variables have their defaults.\n',
  );
});

it('ignores a folder of that name', async () => {
  mkdirSync(join(cwd, '.env'));
  const program = start(MEMORY);
  await program.ready();
  expect(lines(program, 'environment file')).toEqual([]);
});

describe('variables that look like ours', () => {
  const warnings = async (environment: Readonly<Record<string, string>>) => {
    const program = start({ ...MEMORY, ...environment });
    await program.ready();
    return Object.fromEntries(
      lines(program, 'unknown environment variable').map(({ variable, nearest }) => [variable, nearest]),
    );
  };

  it('are warned of, with the nearest known name', async () => {
    const wrong = { DATABSE_URL: 'x', LOGLEVEL: 'x', prot: 'x', AWS_SECRET_ACESS_KEY: 'x', BAOBAB_APP_CODE: 'x' };
    expect(await warnings(wrong)).toEqual({
      DATABSE_URL: 'DATABASE_URL',
      LOGLEVEL: 'LOG_LEVEL',
      prot: 'PORT',
      AWS_SECRET_ACESS_KEY: 'AWS_SECRET_ACCESS_KEY',
      BAOBAB_APP_CODE: 'APP_CODE',
    });
  });

  it('do not include those of other programs', async () => {
    const others = {
      HOME: cwd,
      TERM: 'xterm',
      NODE_ENV: 'production',
      HOSTNAME: 'x',
      AWS_REGION: 'eu-1',
      AWS_SESSION_TOKEN: 'x',
      OTEL_EXPORTER_OTLP_HEADERS: 'x',
      OTEL_SERVICE_NAME: 'x',
      POSTGRES_URL: 'x',
      BAOBAB_PORT: 'tcp://10.0.0.1:9000',
      BAOBAB_SERVICE_HOST: '10.0.0.1',
    };
    expect(await warnings(others)).toEqual({});
  });

  it('are warned of by commands too', async () => {
    const { errors, code } = await startCommand(['config', 'check'], { DATABSE_URL: 'x' }, '', { cwd }).ended;
    expect([code, errors]).toEqual([
      0,
      'baobab: DATABSE_URL is unknown and has no effect; did you mean DATABASE_URL?\n',
    ]);
  });

  it('are faults for the doctor, also those in .env', async () => {
    write({ DATABSE_URL: 'x' });
    const { output } = await startCommand(['doctor'], MEMORY, '', { cwd }).ended;
    expect(output).toMatch(/^FAULT +configuration +DATABSE_URL is not a variable of this program/m);
  });
});
