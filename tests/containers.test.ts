import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseConfig, VARIABLES } from '@baobab/server';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findHaproxy } from './support/balancer.ts';
import { createFolder } from './support/databases.ts';
import { startCommand } from './support/program.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  readonly profiles: readonly string[];
  readonly image?: string;
  readonly build?: string;
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
  readonly secrets?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const compose: Compose = parse(read('docker-compose.yml'), { merge: true });
const dockerfile = read('Dockerfile');

/** As the engine does: `${NAME:?…}` and `${NAME:-default}`, where what has no default was set. */
const filled = (value: string | number) =>
  String(value).replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_all, _name, kind, rest) =>
    kind === '-' && rest !== '' ? rest : 'x'.repeat(40),
  );

const of = (profile: string) =>
  Object.entries(compose.services).flatMap(([name, service]) =>
    service.profiles.includes(profile) ? [{ name, ...service }] : [],
  );

const SECRET = /^\/run\/secrets\/(\w+)$/;

/** A variable with a value that could be in its file, if it names one. */
function variableOf(name: string, value: string | number, secrets: readonly string[]): readonly [string, string] {
  if (!name.endsWith('_FILE')) return [name, filled(value)];
  const [, secret = ''] = SECRET.exec(String(value)) ?? [];
  expect(secrets, name).toContain(secret);
  const content = secret === 'database_url' ? 'postgres://baobab:x@postgres:5432/baobab' : 'x'.repeat(40);
  return [name.replace(/_FILE$/, ''), content];
}

/** The configuration that the service makes of a node's environment. */
function configOf({ environment = {}, secrets = [] }: Service) {
  const values = Object.entries(environment).map(([name, value]) => variableOf(name, value, secrets));
  expect(values.filter(([name]) => !(name in VARIABLES))).toEqual([]);
  return parseConfig(Object.fromEntries(values));
}

const graceOf = ({ stop_grace_period: grace = '' }: Service) => Number.parseInt(grace, 10) * 1000;

describe('the example of containers', () => {
  it('has two profiles, each of which publishes the service once', () => {
    const profiles = new Set(Object.values(compose.services).flatMap((service) => service.profiles));
    expect([...profiles].sort()).toEqual(['cluster', 'sqlite']);
    for (const profile of profiles) {
      expect(of(profile).flatMap(({ ports = [] }) => ports)).toContain('9000:9000');
      expect(of(profile).filter(({ ports = [] }) => ports.includes('9000:9000'))).toHaveLength(1);
    }
  });

  it('has one node on SQLite that keeps its data in a volume, and needs nothing else', () => {
    const nodes = of('sqlite');
    expect(nodes.map(({ name, build }) => [name, build])).toEqual([['baobab', '.']]);
    for (const node of nodes) {
      expect([configOf(node).database.kind, configOf(node).blobs.kind]).toEqual(['sqlite', 'file']);
      expect(dockerfile).toMatch(/^ENV .*\bDATA_DIR=\/data$/m);
      expect(node.volumes).toEqual(['data:/data']);
      expect(graceOf(node)).toBeGreaterThan(configOf(node).drainDelayMs + 10_000);
    }
  });

  it('has two nodes on Postgres and S3', () => {
    const nodes = of('cluster').filter(({ build }) => build === '.');
    expect(nodes).toHaveLength(2);
    for (const node of nodes) {
      const config = configOf(node);
      expect([config.database.kind, config.blobs.kind, config.trustProxy]).toEqual(['postgres', 's3', 1]);
      expect(graceOf(node)).toBeGreaterThan(config.drainDelayMs + 10_000);
    }
  });

  it('requires only variables that both profiles need', () => {
    const required = Array.from(read('docker-compose.yml').matchAll(/\$\{(\w+):\?/g), ([, name = '']) => name);
    expect(new Set(required)).toEqual(new Set(['APP_CODE']));
    for (const { name, environment } of [...of('sqlite'), ...of('cluster').filter(({ build }) => build)])
      for (const variable of required) expect(environment, name).toHaveProperty([variable]);
  });

  it('passes secrets as files only, which neither the repository nor the image contains', () => {
    for (const [name, { environment = {}, secrets = [] }] of Object.entries(compose.services)) {
      const named = Object.keys(environment).filter((variable) => /PASSWORD|SECRET|DATABASE_URL/.test(variable));
      expect([name, named.filter((variable) => !variable.endsWith('_FILE'))]).toEqual([name, []]);
      for (const variable of named) expect(environment[variable]).toMatch(SECRET);
      expect(secrets.filter((secret) => compose.secrets[secret]?.file !== `./secrets/${secret}`)).toEqual([]);
    }
    expect(read('.gitignore')).toMatch(/^\/secrets$/m);
    expect(read('.dockerignore')).toMatch(/^secrets$/m);
  });

  it('lets the program write to its data and to /tmp only, without privileges', () => {
    const programs = Object.values(compose.services).filter(({ build }) => build === '.');
    expect(programs).toHaveLength(3);
    for (const { read_only, tmpfs, cap_drop } of programs) {
      expect([read_only, tmpfs, cap_drop]).toEqual([true, ['/tmp'], ['ALL']]);
    }
    expect(dockerfile).toMatch(/^VOLUME \/data$/m);
  });

  it('does not start S3 without a password', () => {
    const { entrypoint = [] } = compose.services.s3 ?? { profiles: [] };
    const [shell = '', ...args] = entrypoint.map((word) => word.replaceAll('$$', '$'));
    const empty = args.map((word) => word.replace('/run/secrets/s3_password', '/dev/null'));
    const { status, stdout } = spawnSync(shell, empty, { encoding: 'utf8' });
    expect([empty.join() === args.join(), status, stdout]).toEqual([false, 1, 'secrets/s3_password is empty\n']);
  });

  it('names services of the same profile', () => {
    for (const { profiles, depends_on: needed = [] } of Object.values(compose.services)) {
      for (const name of Array.isArray(needed) ? needed : Object.keys(needed))
        expect(compose.services[name]?.profiles, name).toEqual(expect.arrayContaining([...profiles]));
    }
  });

  it('names volumes, files and nodes that exist', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    for (const [source = ''] of mounts.map((mount) => mount.split(':'))) {
      if (source.startsWith('.')) expect(existsSync(join(ROOT, source))).toBe(true);
      else expect(compose.volumes).toHaveProperty([source]);
    }
    const servers = Array.from(
      read('docker/haproxy.cfg').matchAll(/^ {2}server \S+ ([^:]+):9000$/gm),
      ([, host]) => host,
    );
    const nodes = of('cluster').filter(({ build }) => build === '.');
    expect(servers).toEqual(nodes.map(({ name }) => name));
  });

  it('pins every image to a tag and a digest', () => {
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? []);
    const stages = Array.from(dockerfile.matchAll(/^FROM (\S+)(?: AS (\w+))?$/gm), ([, from = '', name]) => ({
      from,
      name,
    }));
    const bases = stages.map(({ from }) => from).filter((from) => !stages.some(({ name }) => name === from));
    expect([images.length, bases.length]).toEqual([4, 1]);
    for (const image of [...images, ...bases]) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });
});

it('has a configuration that HAProxy accepts, where it is installed', () => {
  const program = findHaproxy();
  const config = read('docker/haproxy.cfg');
  expect(config).toContain('option httpchk GET /health/ready');
  if (program === null) return;
  const { status, stderr } = spawnSync(program, ['-c', '-f', join(ROOT, 'docker/haproxy.cfg')], { encoding: 'utf8' });
  expect([status, stderr.includes('ALERT')], stderr).toEqual([0, false]);
});

/** The files that the stage `manifests` of the image has. */
const manifests = Array.from(
  dockerfile.slice(0, dockerfile.indexOf('FROM manifests')).matchAll(/^COPY (.+) \S+$/gm),
  ([, files = '']) => files.split(' '),
).flat();

it('copies existing files into the image, and runs it as an unprivileged user', () => {
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, files = '']) =>
    files.split(' '),
  ).flat();
  expect(copied.length).toBeGreaterThan(manifests.length);
  for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
  const workspaces: string[] = JSON.parse(read('package.json')).workspaces;
  for (const workspace of workspaces) expect(manifests).toContain(`${workspace}/package.json`);
  expect(dockerfile.indexOf('USER 1000:0')).toBeGreaterThan(0);
  expect(dockerfile.indexOf('USER 1000:0')).toBeLessThan(dockerfile.indexOf('ENTRYPOINT'));
  // An arbitrary user id in group 0 must be able to write there.
  expect(dockerfile).toContain('RUN mkdir -m 770 /data && chown 1000:0 /data\n');
});

it('installs in the image from manifests alone, so that a change of sources installs nothing again', () => {
  const lines = dockerfile.split('\n');
  const at = (line: string) => lines.indexOf(line);
  expect(at('RUN node scripts/run.mjs install')).toBeGreaterThan(at('COPY scripts/run.mjs scripts/'));
  expect(at('COPY . .')).toBeGreaterThan(at('RUN node scripts/run.mjs install'));
  expect(at('RUN node scripts/run.mjs build')).toBeGreaterThan(at('COPY . .'));
  const installs = Array.from(dockerfile.matchAll(/^RUN npm (ci [^&\n]+)/gm), ([, args = '']) =>
    args.trim().split(' '),
  );
  expect(installs).toHaveLength(1);
  const { path, remove } = createFolder();
  try {
    for (const file of manifests) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      copyFileSync(join(ROOT, file), join(path, file));
    }
    for (const args of [['ci'], ...installs]) {
      const { status, stderr } = spawnSync('npm', [...args, '--dry-run', '--offline'], { cwd: path, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
    }
  } finally {
    remove();
  }
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
    expect([help.code, help.output]).toEqual([0, expect.stringContaining('start the server')]);
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
