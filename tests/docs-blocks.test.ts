import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { createS3Blobs } from '@baobab/adapters/s3';
import { parseConfig, VARIABLES } from '@baobab/server';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findHaproxy } from './support/balancer.ts';
import { s3Options } from './support/blobs.ts';
import { createDatabase, createFolder } from './support/databases.ts';
import { type Fence, fences, isOutput, shellKind } from './support/fences.ts';
import { allDocuments, readDocument } from './support/markdown.ts';

const ROOT = join(import.meta.dirname, '..');
const CLIENT = 'tests/client/docs.test.ts';
const PLATFORMS = 'tests/deploy-platforms.test.ts';
const QUICK_START = 'tests/client/quick-starts.test.ts';
const EXTENSIONS = 'tests/extensions/examples.test.ts';
const TESTING = 'tests/testing-page.test.ts';
const ADAPTER = 'tests/adapter-example.test.ts';
const SOCKETS = 'tests/http/live-page.test.ts';
const BACKUPS = 'tests/flows/scheduled-backups.test.ts';
const COMPARISON = 'tests/client/comparison.test.ts';
/** Blocks that are neither shell commands nor their output: what follows the fence, and the test that checks them. */
const TAKEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { ts: 'tests/readme.test.ts' },
  'docs/api-collections.md': {
    'json rules': 'tests/http/rules-bodies.test.ts',
    'json test': 'tests/http/rule-tests.test.ts',
  },
  'docs/architecture.md': { 'text diagram': 'tests/docs-blocks.test.ts', 'text folders': 'tests/docs-blocks.test.ts' },
  'docs/configuration.md': { 'env value-files': 'tests/core/env-file.test.ts' },
  'docs/client.md': { ts: CLIENT, 'ts app.ts': CLIENT },
  'docs/client-data.md': { ts: CLIENT, 'tsx notes.tsx': CLIENT },
  'docs/client-offline.md': { ts: CLIENT, 'tsx shopping.tsx': CLIENT },
  'docs/client-comparison.md': { ts: COMPARISON, 'js supabase': COMPARISON, 'js pocketbase': COMPARISON },
  'docs/clients.md': { html: 'tests/browser/clients-page.test.ts' },
  'docs/data-modelling.md': { ts: CLIENT, 'ts app.ts': CLIENT },
  'docs/extensions.md': {
    ts: EXTENSIONS,
    'ts close-task.ts': EXTENSIONS,
    'ts moderation.ts': EXTENSIONS,
    'ts welcome.ts': EXTENSIONS,
  },
  'docs/groups-and-invitations.md': { ts: CLIENT },
  'docs/live.md': { html: 'tests/browser/live-page.test.ts', 'json socket': SOCKETS, 'json room': SOCKETS },
  'docs/deploy.md': { 'ini systemd': 'tests/flows/deployments.test.ts' },
  'docs/deploy-fly.md': { 'toml fly-volume': PLATFORMS, 'toml fly-nodes': PLATFORMS },
  'docs/deploy-render.md': { 'yaml render-nodes': PLATFORMS, 'yaml render-disk': PLATFORMS },
  'docs/testing.md': { 'ts notes.test.ts': TESTING, 'ts mail.test.ts': TESTING, 'ts inject.ts': TESTING },
  'docs/deploy-postgres.md': {
    pgbouncer: 'tests/flows/pgbouncer.test.ts',
    'postgres-url': 'tests/flows/postgres-connections.test.ts',
  },
  'docs/deploy-proxy.md': {
    nginx: 'tests/flows/proxies.test.ts',
    'nginx upgrade': 'tests/flows/proxies.test.ts',
    'nginx map': 'tests/flows/proxies.test.ts',
    'nginx prefix': 'tests/flows/proxies.test.ts',
    apache: 'tests/flows/proxies.test.ts',
    'apache prefix': 'tests/flows/proxies.test.ts',
    caddy: 'tests/flows/proxies.test.ts',
    'caddy prefix': 'tests/flows/proxies.test.ts',
  },
  'docs/monitoring.md': { 'yaml prometheus': 'tests/docs-blocks.test.ts' },
  'docs/deploy-docker.md': { 'yaml openshift': 'tests/flows/deployments.test.ts' },
  'docs/operations.md': {
    'env minio': 'tests/flows/deployments.test.ts',
    'env r2': 'tests/flows/deployments.test.ts',
    haproxy: 'tests/docs-blocks.test.ts',
    sql: 'tests/docs-blocks.test.ts',
  },
  'docs/scheduled-backups.md': {
    'env backup-bucket': BACKUPS,
    'ini baobab-backup.service': BACKUPS,
    'ini baobab-backup.timer': BACKUPS,
    cron: BACKUPS,
  },
  'docs/start-javascript.md': { 'ts todos.ts': 'tests/client/pages-in-order.test.ts' },
  'docs/tutorial.md': { html: 'tests/browser/tutorial.test.ts' },
  'docs/recipes/several-nodes.md': { 'ini several-nodes': 'tests/docs-blocks.test.ts' },
  'docs/query-language.md': {
    query: 'tests/query-language.test.ts',
    'json documents': 'tests/query-language.test.ts',
    ebnf: 'tests/query-language.test.ts',
  },
  'docs/writing-an-adapter.md': { 'ts folder-mailer.ts': ADAPTER, 'ts folder-mailer.test.ts': ADAPTER },
};

/** The test of a block that quotes a file of the example. */
const quoteChecker = (path: string, { info }: Fence) =>
  /^docs\/tutorial-(shopping-lists|task-board)\.md$/.test(path) && /^tsx? /.test(info)
    ? 'tests/tutorial-quotes.test.ts'
    : null;

/** The test of a block that a reader saves as a file of an app. */
function savedChecker(path: string, { info }: Fence): string | null {
  if (/^(?:kotlin|swift|dart) /.test(info)) return 'tests/mobile-pages.test.ts';
  const page = /^docs\/(?:start-(?:react|nextjs|sveltekit|expo|vue)|recipes\/server-rendering)\.md$/;
  return page.test(path) && /^(?:tsx? |(?:svelte|vue)$)/.test(info) ? QUICK_START : null;
}

/** The test that runs or checks a block; null without one. */
function checkerOf(path: string, fence: Fence, before: Fence | undefined): string | null {
  if (fence.info === 'ts client') return QUICK_START;
  if (fence.info === 'mermaid') return 'tests/docs-diagrams.test.ts';
  const kind = shellKind(fence);
  if (kind === 'not-run') return 'tests/docs-blocks.test.ts';
  if (kind !== null) {
    return path === 'docs/writing-an-adapter.md' ? ADAPTER : 'tests/docs-followed.test.ts';
  }
  if (isOutput(fence) && before !== undefined) {
    if (shellKind(before) === 'run' || shellKind(before) === 'stopped') return 'tests/docs-followed.test.ts';
    if (before.info === 'query') return 'tests/query-language.test.ts';
  }
  return TAKEN[path]?.[fence.info] ?? quoteChecker(path, fence) ?? savedChecker(path, fence);
}

const blocks = allDocuments().flatMap((path) => {
  const all = fences(readDocument(path));
  return all.map((fence, index) => ({ path, fence, checker: checkerOf(path, fence, all[index - 1]) }));
});

/** The only block of this kind in the documents. */
function only(info: string): string {
  const [one, ...more] = blocks.filter(({ fence }) => fence.info === info);
  expect([one === undefined, more]).toEqual([false, []]);
  return one?.fence.text ?? '';
}

describe('the blocks of the documents', () => {
  it('are all found', () => {
    for (const path of allDocuments()) {
      const marks = readDocument(path).match(/^\s*(?:```|~~~)/gm) ?? [];
      const found = blocks.filter((block) => block.path === path).length;
      expect([path, found * 2]).toEqual([path, marks.length]);
    }
    expect(blocks.length).toBeGreaterThan(150);
  });

  it('are each run or checked by a test', () => {
    const free = blocks.filter(({ checker }) => checker === null);
    expect(free.map(({ path, fence }) => `${path}:${fence.line} (${fence.info})`)).toEqual([]);
    const checkers = new Set(blocks.map(({ checker }) => checker ?? ''));
    expect([...checkers].filter((checker) => !existsSync(join(ROOT, checker)))).toEqual([]);
    const named = Object.entries(TAKEN).flatMap(([path, infos]) => Object.keys(infos).map((info) => [path, info]));
    const there = ([path, info]: string[]) => blocks.some((block) => block.path === path && block.fence.info === info);
    expect(named.filter((one) => !there(one))).toEqual([]);
  });

  it('are marked not-run only for a known reason', () => {
    const reasons = blocks
      .filter(({ fence }) => shellKind(fence) === 'not-run')
      .map(({ fence }) => fence.info.replace('sh not-run: ', ''));
    expect([...new Set(reasons)].sort()).toEqual([
      'it needs your project',
      'it runs this test',
      'it runs until you stop it',
      'needs Docker',
      'needs Fly.io',
      'needs MinIO',
      'needs OpenShift',
      'needs S3',
      'needs a Citus cluster',
      'needs a proxy',
      'needs systemd',
      'needs the packages of a release',
      'needs the program sqlite3',
      'needs tools from elsewhere',
      'packs into the clone',
    ]);
  });
});

/** The commands that need MinIO, with another server and bucket. */
function onAnotherS3(commands: string, endpoint: string, bucket: string): string {
  expect(commands.match(/http:\/\/127\.0\.0\.1:9100/g)).toHaveLength(3);
  return commands.replaceAll('http://127.0.0.1:9100', endpoint).replaceAll(/baobab(?='|\?)/g, bucket);
}

describe('commands that are not run', () => {
  const notRun = blocks.filter(({ fence }) => shellKind(fence) === 'not-run');

  it.each(notRun)('are valid shell: $path:$fence.line', ({ fence }) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: fence.text, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('create the bucket in which they run the suites on S3', async () => {
    const { endpoint, region, credentials } = s3Options();
    const bucket = `documented-${randomBytes(4).toString('hex')}`;
    const commands = onAnotherS3(only('sh not-run: needs MinIO'), endpoint ?? '', bucket);
    const [making = ''] = /^node [\s\S]*?^"$/m.exec(commands) ?? [];
    const { accessKeyId = '', secretAccessKey = '' } = credentials ?? {};
    const env = { ...process.env, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const { status, stderr } = spawnSync('bash', ['-ec', making], { cwd: ROOT, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const [, url = ''] = /^npm run test:s3 -- '(.*)'$/m.exec(commands) ?? [];
    const { blobs: named } = parseConfig({ BLOB_URL: url });
    expect(named).toMatchObject({ kind: 's3', bucket, endpoint });
    const blobs = createS3Blobs({ bucket, prefix: '', endpoint, region, credentials });
    await blobs.health();
    await blobs.close();
  });

  const docker = notRun.filter(({ fence }) => fence.info.endsWith('Docker')).map(({ fence }) => fence.text);

  it('configure containers with variables that the service knows', () => {
    const given = docker.flatMap((text) => Array.from(text.matchAll(/ -e (\w+)=/g), ([, name = '']) => name));
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter((name) => !(name in VARIABLES))).toEqual([]);
    expect(docker.join('')).toContain('docker build -t baobab .');
    expect(existsSync(join(ROOT, 'Dockerfile'))).toBe(true);
  });

  it('create every secret that a profile of the composition needs, and start its services', () => {
    const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
    const started = docker.flatMap((text) => /^COMPOSE_PROFILES=(\w+)$/m.exec(text)?.[1] ?? []);
    expect(started).toEqual(['sqlite', 'cluster']);
    for (const [index, text] of docker.filter((one) => one.includes('COMPOSE_PROFILES')).entries()) {
      const { path, remove } = createFolder();
      const commands = text.replace(/^docker .*$/gm, '');
      const { status, stderr } = spawnSync('bash', ['-e'], { input: commands, cwd: path, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const profile = started[index] ?? '';
      type Needing = { profiles: string[]; secrets?: string[] };
      const used = Object.values<Needing>(services).filter((one) => one.profiles.includes(profile));
      expect(readdirSync(join(path, 'secrets')).sort()).toEqual(
        [...new Set(used.flatMap(({ secrets = [] }) => secrets))].sort(),
      );
      const required = Array.from(JSON.stringify(used).matchAll(/\$\{(\w+):\?/g), ([, name = '']) => name);
      const set = Object.keys(parseEnv(readFileSync(join(path, '.env'), 'utf8')));
      expect(set.sort()).toEqual([...new Set(['COMPOSE_PROFILES', ...required])].sort());
      remove();
    }
    const restarted = docker.flatMap((text) => Array.from(text.matchAll(/--wait (\S+)$/gm), ([, name = '']) => name));
    expect(restarted.length).toBe(2);
    expect(restarted.filter((name) => !(name in services))).toEqual([]);
  });
});

it('use statements that the databases understand', async () => {
  const statements = blocks.filter(({ fence }) => fence.info === 'sql').map(({ fence }) => fence.text);
  expect(statements.length).toBeGreaterThan(0);
  const { url, drop } = await createDatabase();
  const sql = postgres(url, { max: 1 });
  try {
    for (const statement of statements) expect(await sql.unsafe(statement)).toBeInstanceOf(Array);
  } finally {
    await sql.end();
    await drop();
  }
});

describe('trees of the code', () => {
  const namesIn = (folder: string, kind: 'folders' | 'files') =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() === (kind === 'folders') && !/^(?:dist|node_modules|\.)/.test(entry.name))
      .map(({ name }) => name);

  it('name folders that exist', () => {
    const [, ...parts] = only('text folders').split(/^(\S+\/)(?= )/m);
    const shown = parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ''] as const] : []));
    const folders = shown.map(([folder, text]) => [folder, (text.match(/[\w-]+(?=\/)/g) ?? []).sort()] as const);
    for (const [folder, named] of folders) {
      const there = namesIn(folder, 'folders').sort();
      expect([folder, named.filter((name) => !there.includes(name))]).toEqual([folder, []]);
      // All folders of the service's code.
      if (/core|adapters|http/.test(folder)) expect([folder, named]).toEqual([folder, there]);
    }
    expect(folders.length).toBeGreaterThan(5);
  });

  it('name ports that exist', () => {
    const diagram = only('text diagram');
    const ports = ['files', 'folders'] as const;
    const names = ports
      .flatMap((kind) => namesIn('packages/core/src/ports', kind))
      .map((name) => name.split('.')[0] ?? '')
      .filter((name) => name !== 'index');
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(diagram))).toEqual([]);
    for (const folder of namesIn('packages', 'folders')) {
      if (folder !== 'contracts') expect(diagram).toContain(`packages/${folder}`);
    }
  });
});

describe('configurations of other programs', () => {
  it('contain the variables of a node that shares a database and a blob store with others', () => {
    const config = parseConfig(parseEnv(only('ini several-nodes')) as Record<string, string>);
    expect([config.database.kind, config.blobs.kind, config.trustProxy]).toEqual(['postgres', 's3', 1]);
  });

  it('contain a backend that HAProxy accepts, where it is installed', () => {
    const backend = only('haproxy');
    expect(backend).toContain('option httpchk GET /health/ready');
    const haproxy = findHaproxy();
    if (haproxy === null) return;
    const { path, remove } = createFolder();
    try {
      const file = join(path, 'haproxy.cfg');
      const times = 'timeout connect 2s\n  timeout client 80s\n  timeout server 80s';
      const front = 'frontend all\n  bind 127.0.0.1:9000\n  default_backend nodes';
      writeFileSync(file, `defaults\n  mode http\n  ${times}\n${front}\n${backend}`);
      const { status, stderr } = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' });
      expect([status, stderr.includes('ALERT')], stderr).toEqual([0, false]);
    } finally {
      remove();
    }
  });

  it('contain a job by which Prometheus finds the metrics', () => {
    const { scrape_configs: jobs } = parse(only('yaml prometheus'));
    // Without a path of its own a job scrapes /metrics.
    expect(jobs).toEqual([
      {
        job_name: 'baobab',
        basic_auth: { username: 'admin', password_file: expect.stringMatching(/^\//) },
        static_configs: [{ targets: [`baobab:${VARIABLES.PORT.default}`] }],
      },
    ]);
  });
});
