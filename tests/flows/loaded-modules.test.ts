import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND, PROGRAM } from '../support/program.ts';
import { createSetUp } from '../support/set-up.ts';

const HOOK = join(import.meta.dirname, '../support/modules-process.ts');
/** Modules that the server needs only for some requests, settings or locations. */
const ON_FIRST_USE = [
  '@aws-sdk/client-s3',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@fastify/static',
  '@fastify/swagger',
  '@jimp/core',
  '@opentelemetry/sdk-trace',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  'file-type',
  'jose',
  'nodemailer',
  'pino-pretty',
  'prom-client',
  'sharp',
  'undici',
];
/** Modules that commands never need, because they serve no requests. */
const ONLY_TO_SERVE = ['fastify', 'typebox', '@fastify/multipart', 'pino', 'close-with-grace'];

/** Most of inversify: its own package only passes it on. */
const CONTAINER = '@inversifyjs/container';

/** With this as its port, the program refuses to start. */
const INVALID = 'none';

const { folder, start } = createSetUp();

async function packagesOf(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly loaded: readonly string[] }> {
  const file = join(folder(), 'modules');
  const program = start({ ...env, MODULES_FILE: file }, { command: ['--import', HOOK, ...command] });
  if (command[0] === PROGRAM && env.PORT !== INVALID) {
    await program.ready();
    program.kill('SIGTERM');
  }
  const { code } = await program.exit;
  return { code, loaded: readFileSync(file, 'utf8').split('\n') };
}

describe('a process loads only what it needs', () => {
  it('to serve', async () => {
    const { code, loaded } = await packagesOf([PROGRAM]);
    expect(code).toBe(0);
    expect(loaded).toEqual(expect.arrayContaining(['fastify', 'typebox', 'ajv', CONTAINER]));
    expect(loaded.filter((name) => ON_FIRST_USE.includes(name))).toEqual([]);
  });

  it('to refuse an environment', async () => {
    const { code, loaded } = await packagesOf([PROGRAM], { PORT: INVALID });
    expect(code).toBe(1);
    expect(loaded).toContain('pino');
    expect(loaded.filter((name) => [...ON_FIRST_USE, CONTAINER, 'ajv', 'fastify'].includes(name))).toEqual([]);
  });

  it('to check the environment', async () => {
    const { code, loaded } = await packagesOf([COMMAND, 'config', 'check']);
    expect(code).toBe(0);
    expect(loaded).toContain('commander');
    const others = [...ON_FIRST_USE, ...ONLY_TO_SERVE, CONTAINER, 'ajv', 'argon2', 'postgres'];
    expect(loaded.filter((name) => others.includes(name))).toEqual([]);
  });

  it('to work on a database', async () => {
    const { code, loaded } = await packagesOf([COMMAND, 'user', 'role', 'nobody', 'administrator']);
    expect(code).toBe(1); // there is no such user
    expect(loaded).toEqual(expect.arrayContaining(['commander', CONTAINER]));
    expect(loaded.filter((name) => [...ON_FIRST_USE, ...ONLY_TO_SERVE].includes(name))).toEqual([]);
  });
});
