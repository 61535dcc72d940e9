import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, VARIABLES } from '@baobab/server';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { findHaproxy } from './support/balancer.ts';
import { createFolder } from './support/databases.ts';
import { startCommand } from './support/program.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const compose: Compose = parse(read('docker-compose.yml'), { merge: true });
const dockerfile = read('Dockerfile');

/** As the engine does: `${NAME:?…}` and `${NAME:-default}`. */
const filled = (value: string | number) =>
  String(value).replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_all, _name, kind, rest) =>
    kind === '-' ? rest : 'x'.repeat(40),
  );

it('configures nodes only with variables that the service knows', () => {
  const nodes = Object.values(compose.services).filter(({ build }) => build === '.');
  expect(nodes).toHaveLength(2);
  for (const { environment = {}, stop_grace_period: grace = '' } of nodes) {
    expect(Object.keys(environment).filter((name) => !(name in VARIABLES))).toEqual([]);
    const values = Object.entries(environment).map(([name, value]) => [name, filled(value)]);
    const config = parseConfig(Object.fromEntries(values));
    expect([config.database.kind, config.blobs.kind, config.trustProxy]).toEqual(['postgres', 's3', true]);
    expect(Number.parseInt(grace, 10) * 1000).toBeGreaterThan(config.drainDelayMs + 10_000);
  }
});

it('names services, volumes, files and images that exist', () => {
  const { services, volumes } = compose;
  for (const { depends_on: needed = [], volumes: mounts = [], image, build } of Object.values(services)) {
    for (const name of Array.isArray(needed) ? needed : Object.keys(needed)) expect(services).toHaveProperty([name]);
    for (const [source = ''] of mounts.map((mount) => mount.split(':'))) {
      if (source.startsWith('.')) expect(existsSync(join(ROOT, source))).toBe(true);
      else expect(volumes).toHaveProperty([source]);
    }
    expect(image ?? build).toMatch(/^(?:\.|[\w./-]+:[\w.-]+)$/);
  }
  const servers = Array.from(
    read('docker/haproxy.cfg').matchAll(/^ {2}server \S+ ([^:]+):9000$/gm),
    ([, host]) => host,
  );
  expect(servers).toEqual(Object.keys(services).filter((name) => services[name]?.build === '.'));
});

it('has a configuration that HAProxy accepts, where it is installed', () => {
  const program = findHaproxy();
  const config = read('docker/haproxy.cfg');
  expect(config).toContain('option httpchk GET /health/ready');
  if (program === null) return;
  const { status, stderr } = spawnSync(program, ['-c', '-f', join(ROOT, 'docker/haproxy.cfg')], { encoding: 'utf8' });
  expect([status, stderr.includes('ALERT')], stderr).toEqual([0, false]);
});

it('copies existing files into the image, and runs it as an unprivileged user', () => {
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, files = '']) =>
    files.split(' '),
  ).flat();
  expect(copied.length).toBeGreaterThan(5);
  for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
  const workspaces: string[] = JSON.parse(read('package.json')).workspaces;
  for (const workspace of workspaces) expect(copied).toContain(`${workspace}/package.json`);
  expect(dockerfile.indexOf('USER node')).toBeGreaterThan(0);
  expect(dockerfile.indexOf('USER node')).toBeLessThan(dockerfile.indexOf('ENTRYPOINT'));
});

it('has an entrypoint that serves and runs the other commands', async () => {
  const [, entry = '[]'] = /^ENTRYPOINT (.+)$/m.exec(dockerfile) ?? [];
  const [node, file = ''] = JSON.parse(entry) as string[];
  expect([node, file.replace('/app/', '')]).toEqual(['node', 'packages/server/dist/cli.js']);
  const [, initial = '[]'] = /^CMD (.+)$/m.exec(dockerfile.slice(dockerfile.indexOf('ENTRYPOINT'))) ?? [];
  const { path, remove } = createFolder();
  try {
    const env = { DATA_DIR: path, PATH: process.env.PATH ?? '' };
    const { code, output } = await startCommand(['config', 'check'], env).ended;
    expect([code, output]).toEqual([0, expect.stringContaining('The environment is valid')]);
    const help = await startCommand([...(JSON.parse(initial) as string[]), '--help'], env).ended;
    expect([help.code, help.output]).toEqual([0, expect.stringContaining('start the service')]);
  } finally {
    remove();
  }
});

it('has a health check that reports whether the service is ready', () => {
  const [, script = ''] = /HEALTHCHECK[^\n]*\\\n\s*("(?:[^"\\]|\\.)*")\]/.exec(dockerfile) ?? [];
  const run = (port: string) =>
    spawnSync(process.execPath, ['-e', JSON.parse(script)], { env: { PORT: port }, timeout: 10_000 }).status;
  expect(run('1')).toBe(1);
});
