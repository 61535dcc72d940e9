import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, VARIABLES } from '@baobab/server';
import { createTestBackend } from '@baobab/server/testing';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { fences } from './support/fences.ts';
import { readDocument } from './support/markdown.ts';

const DOCKERFILE = readFileSync(join(import.meta.dirname, '../Dockerfile'), 'utf8');
/** Maximum duration of a shutdown, in seconds. */
const GRACE = 10;

const block = (page: string, info: string) => fences(readDocument(page)).find((one) => one.info === info)?.text ?? '';

/** Returns the paths of all keys; elements of lists have the path of the list. */
function keysOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => keysOf(one, path));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, one]) => keysOf(one, path === '' ? key : `${path}.${key}`));
}

const without = (keys: readonly string[], known: readonly string[]) => [
  ...new Set(keys.filter((key) => !known.includes(key))),
];

/** The keys that https://fly.io/docs/reference/configuration documents, as far as the page uses them. */
const FLY = [
  'app',
  'primary_region',
  'kill_signal',
  'kill_timeout',
  'deploy.strategy',
  'deploy.max_unavailable',
  'mounts.source',
  'mounts.destination',
  'mounts.initial_size',
  'http_service.internal_port',
  'http_service.force_https',
  'http_service.auto_stop_machines',
  'http_service.auto_start_machines',
  'http_service.concurrency.type',
  'http_service.concurrency.soft_limit',
  'http_service.concurrency.hard_limit',
  'http_service.checks.method',
  'http_service.checks.path',
  'http_service.checks.interval',
  'http_service.checks.timeout',
  'http_service.checks.grace_period',
  'vm.memory',
  'vm.cpu_kind',
  'vm.cpus',
];

/** The keys that https://render.com/docs/blueprint-spec documents, as far as the page uses them. */
const RENDER = [
  ...['type', 'name', 'runtime', 'plan', 'region', 'numInstances', 'healthCheckPath', 'maxShutdownDelaySeconds'],
  ...['disk.name', 'disk.mountPath', 'disk.sizeGB'],
  ...['envVars.key', 'envVars.value', 'envVars.sync', 'envVars.generateValue'],
  ...['envVars.fromDatabase.name', 'envVars.fromDatabase.property'],
].map((key) => `services.${key}`);
const RENDER_DATABASES = ['name', 'plan', 'region', 'postgresMajorVersion', 'ipAllowList'].map(
  (key) => `databases.${key}`,
);

/** Expects that the server accepts the variables, and returns what they mean. */
function configOf(env: Readonly<Record<string, string>>) {
  expect(Object.keys(env).filter((name) => !(name in VARIABLES))).toEqual([]);
  return parseConfig(env);
}

const [, dataDir = ''] = /DATA_DIR=(\S+)/.exec(DOCKERFILE) ?? [];

/** Expects that the server takes the address of the client from this header. */
async function expectClient(trustProxy: string, header: string, network: string): Promise<void> {
  const backend = await createTestBackend({ trustProxy });
  try {
    const headers = { 'x-service-appcode': backend.appCode, 'x-forwarded-for': header };
    const payload = { username: 'ann', password: 'secret' };
    const { data } = (await backend.app.inject({ method: 'POST', url: '/user', headers, payload })).json();
    const session = { ...headers, 'x-bb-session': data['X-BB-SESSION'] };
    const sessions = (await backend.app.inject({ url: '/me/sessions', headers: session })).json();
    expect(sessions.data[0].network).toBe(network);
  } finally {
    await backend.close();
  }
}

async function expectHealthy(path: string): Promise<void> {
  const backend = await createTestBackend();
  try {
    expect((await backend.app.inject({ url: path })).statusCode).toBe(200);
  } finally {
    await backend.close();
  }
}

describe.each(['fly-volume', 'fly-nodes'])('%s', (name) => {
  // biome-ignore lint/suspicious/noExplicitAny: any TOML
  const file = parseToml(block('docs/deploy-fly.md', `toml ${name}`)) as any;

  it('has keys that Fly.io documents', () => {
    const { env, ...rest } = file;
    expect(without(keysOf(rest), FLY)).toEqual([]);
    const { port, drainDelayMs } = configOf(env);
    expect(port).toBe(file.http_service.internal_port);
    expect(file.kill_timeout).toBeGreaterThanOrEqual(GRACE + drainDelayMs / 1000);
    expect(env.PUBLIC_URL).toBe(`https://${file.app}.fly.dev`);
  });

  it('checks the health of the server, and finds the client', async () => {
    await expectHealthy(file.http_service.checks[0].path);
    await expectClient(file.env.TRUST_PROXY, '192.0.2.1, 203.0.113.7, 198.51.100.1', '203.0.113.0/24');
  });
});

it('keeps the data on the volume of Fly.io, or outside the machine', () => {
  // biome-ignore lint/suspicious/noExplicitAny: any TOML
  const read = (name: string) => parseToml(block('docs/deploy-fly.md', `toml ${name}`)) as any;
  expect(read('fly-volume').mounts.destination).toBe(dataDir);
  const { env, mounts } = read('fly-nodes');
  expect(configOf(env).blobs).toMatchObject({ kind: 's3', region: 'auto', bucket: 'my-baobab-files' });
  expect(mounts).toBeUndefined();
});

describe.each(['render-nodes', 'render-disk'])('%s', (name) => {
  const file = parseYaml(block('docs/deploy-render.md', `yaml ${name}`));
  const [service] = file.services;
  const given = new Map<string, Readonly<Record<string, unknown>>>(
    service.envVars.map((one: { key: string }) => [one.key, one]),
  );
  /** Values that a person enters or Render makes. */
  const entered: Readonly<Record<string, string>> = {
    PUBLIC_URL: 'https://baobab.onrender.com',
    BLOB_URL: 's3://baobab?endpoint=https://example.org&region=auto',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'key',
  };
  const setTo = (key: string) => {
    const { value, sync, generateValue, fromDatabase } = given.get(key) ?? {};
    if (generateValue === true) return Buffer.alloc(32, 1).toString('base64');
    if (fromDatabase !== undefined) return 'postgresql://user:password@dpg-1-a/baobab';
    return sync === false ? (entered[key] ?? '') : String(value);
  };

  it('has keys that Render documents', () => {
    expect(without(keysOf(file), [...RENDER, ...RENDER_DATABASES])).toEqual([]);
    const env = Object.fromEntries([...given.keys()].map((key) => [key, setTo(key)]));
    const config = configOf(env);
    expect(config.port).toBe(9000);
    expect(service.maxShutdownDelaySeconds).toBeGreaterThan(GRACE);
    const names = (file.databases ?? []).map((database: { name: string }) => database.name);
    expect(service.disk?.mountPath ?? dataDir).toBe(dataDir);
    if (name === 'render-disk') expect(config.database.kind).toBe('sqlite');
    else {
      expect([config.database.kind, config.blobs.kind]).toEqual(['postgres', 's3']);
      expect(given.get('DATABASE_URL')?.fromDatabase).toMatchObject({ name: names[0] });
    }
  });

  it('checks the health of the server, and finds the client', async () => {
    await expectHealthy(service.healthCheckPath);
    await expectClient(setTo('TRUST_PROXY'), '192.0.2.1, 203.0.113.7, 104.22.17.40', '203.0.113.0/24');
  });
});
