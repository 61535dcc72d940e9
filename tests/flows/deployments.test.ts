import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { createS3Blobs } from '@baobab/adapters/s3';
import { blobKey } from '@baobab/core';
import { parseConfig, VARIABLES } from '@baobab/server';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { collect, textBytes } from '../support/blobs.ts';
import { fences } from '../support/fences.ts';
import { readDocument } from '../support/markdown.ts';
import { COMMAND, PROGRAM, startProgram } from '../support/program.ts';
import { startOwnS3 } from '../support/s3-server.ts';
import { createSetUp } from '../support/set-up.ts';
import { startStrictS3 } from '../support/strict-s3.ts';

const ROOT = join(import.meta.dirname, '../..');
const { cleanups, folder } = createSetUp();
const blocks = ['deploy', 'deploy-docker', 'operations'].flatMap((name) => fences(readDocument(`docs/${name}.md`)));

/** The blocks of the pages with this text after the opening fence. */
const textsOf = (info: string) => blocks.filter((block) => block.info === info).map(({ text }) => text);

/** A user without privileges; only root can become one. */
const NOBODY = process.getuid?.() === 0 ? { uid: 1_000_650_000, gid: 1_000_650_000 } : {};

/** Gives what the tests made to the user that runs the program. */
function give(...paths: readonly string[]): void {
  for (const path of paths) if (NOBODY.uid !== undefined) chownSync(path, NOBODY.uid, NOBODY.gid);
}

/** Runs the commands, without those for which `left` is true. */
function runShell(commands: string, left: (line: string) => boolean): void {
  const input = commands
    .split('\n')
    .filter((line) => !left(line))
    .join('\n');
  const { status, stderr } = spawnSync('bash', ['-e'], { input, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

describe('the unit of systemd', () => {
  const [unit = ''] = textsOf('ini systemd');
  const [making = '', , using = ''] = textsOf('sh not-run: needs systemd');
  const all = (name: string) =>
    Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value);

  it('is accepted by systemd, which finds it little exposed, where it is installed', () => {
    const [, version = '0'] =
      /^systemd (\d+)/.exec(spawnSync('systemd-analyze', ['--version']).stdout?.toString()) ?? [];
    if (Number(version) < 250) return;
    const file = join(folder(), 'baobab.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath).replace('/opt/baobab', ROOT));
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    const complaints = verified.stderr.split('\n').filter((line) => line.includes('baobab.service'));
    expect([verified.status, complaints]).toEqual([0, []]);
    const limits = ['security', '--no-pager', '--offline=yes', '--threshold=20', file];
    const { status, stdout } = spawnSync('systemd-analyze', limits, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('OK')]);
  });

  it('gives the program what it needs, as a user who can write nowhere else', async () => {
    const [etc, state, credentials] = [join(folder(), 'etc'), folder(), folder()];
    runShell(making.replaceAll('/etc/baobab', etc), (line) => line.startsWith('useradd '));
    for (const [name = '', path = ''] of all('LoadCredential').map((value) => value.split(':'))) {
      copyFileSync(path.replace('/etc/baobab', etc), join(credentials, name));
      give(join(credentials, name));
    }
    give(state, credentials);
    const [data = ''] = all('StateDirectory');
    const filled = (text: string) => text.replaceAll('%d', credentials).replaceAll(`/var/lib/${data}`, state);
    const file = (all('EnvironmentFile')[0] ?? '').replace('/etc/baobab', etc);
    const set = parseEnv(readFileSync(file, 'utf8'));
    expect(Object.keys(set).filter((name) => !(name in VARIABLES))).toEqual([]);
    const env = { ...parseEnv(all('Environment').join(' ').replaceAll(' ', '\n')), ...set } as Record<string, string>;
    for (const [name, value] of Object.entries(env)) env[name] = filled(value);
    const [, script = ''] = /^\/usr\/bin\/node (\S+)$/.exec(all('ExecStart')[0] ?? '') ?? [];
    expect(join(ROOT, script)).toBe(PROGRAM);

    const program = startProgram(env, { cwd: ROOT, ...NOBODY });
    cleanups.push(() => program.dispose());
    await program.ready();
    await program.line('password');
    // The key comes from the credential, so none is generated.
    expect(readdirSync(state).sort()).toEqual(['baobab.db', 'baobab.db-shm', 'baobab.db-wal', 'blobs']);

    const [, dataDir = '', path = '', args = ''] =
      /^sudo -u baobab DATA_DIR=(\S+) node \/opt\/baobab\/(\S+) (.*)$/m.exec(using) ?? [];
    expect(join(ROOT, path)).toBe(COMMAND);
    const backup = startProgram(
      { DATA_DIR: filled(dataDir) },
      { command: [COMMAND, ...filled(args).split(' ')], cwd: ROOT, ...NOBODY },
    );
    expect([(await backup.exit).code, backup.errors()]).toEqual([0, '']);
    expect(readdirSync(state)).toContain('monday.tar');

    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(Number(all('TimeoutStopSec')[0])).toBeGreaterThan(10);
  });
});

type Variables = Readonly<Record<string, string>>;

/** The variables of the node of a profile of docker-compose.yml, whose secrets are files in this folder. */
function ofCompose(secrets: string): Variables {
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const [making = ''] = textsOf('sh not-run: needs Docker').filter((text) => text.includes('COMPOSE_PROFILES=sqlite'));
  runShell(`cd ${dirname(secrets)}\n${making}`, (line) => line.startsWith('docker '));
  const given: Variables = { ...parseEnv(readFileSync(join(secrets, '../.env'), 'utf8')) } as Variables;
  return Object.fromEntries(
    Object.entries<string>(services.baobab.environment).map(([name, value]) => {
      const text = value.replace(/\$\{(\w+):[?-]([^}]*)\}/g, (_all, variable, rest) => given[variable] ?? rest);
      return [name, text.replace('/run/secrets', secrets)];
    }),
  );
}

/** The variables of the container on OpenShift. */
function ofOpenShift(secrets: string): Variables {
  const { containers, volumes } = parse(textsOf('yaml openshift')[0] ?? '').spec.template.spec;
  const [{ env, volumeMounts, securityContext }] = containers;
  expect(securityContext.readOnlyRootFilesystem).toBe(true);
  const names = (all: ReadonlyArray<{ readonly name: string }>) => all.map(({ name }) => name);
  expect(names(volumeMounts)).toEqual(names(volumes));
  const [creating = ''] = textsOf('sh not-run: needs OpenShift');
  mkdirSync(secrets);
  for (const [, name = '', command = ''] of creating.matchAll(/--from-literal=(\w+)="\$\(([^)]+)\)"/g)) {
    writeFileSync(join(secrets, name), spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout.trim());
  }
  const mounted = volumeMounts.find(({ name }: { name: string }) => name === 'secrets').mountPath;
  const all: ReadonlyArray<{ readonly name: string; readonly value: string }> = env;
  return Object.fromEntries(all.map(({ name, value }) => [name, value.replace(mounted, secrets)]));
}

describe.each([
  ['docker-compose.yml', ofCompose],
  ['OpenShift', ofOpenShift],
])('a container as in %s', (_name, variablesOf) => {
  it('serves as any user of group 0 who can write to the data and to /tmp only', async () => {
    const [place, home, data, tmp] = [folder(), folder(), folder(), folder()];
    const secrets = join(place, 'secrets');
    const env = variablesOf(secrets);
    const known = Object.keys(env).map((name) => name.replace(/_FILE$/, ''));
    expect(known.filter((name) => !(name in VARIABLES))).toEqual([]);
    // Containers see the files only, not the folder.
    for (const path of [place, secrets]) chmodSync(path, 0o755);
    chmodSync(home, 0o555);
    for (const path of [data, tmp]) {
      chmodSync(path, 0o770);
      if (NOBODY.uid !== undefined) chownSync(path, 1000, 0);
    }
    const user = NOBODY.uid === undefined ? {} : { uid: NOBODY.uid };
    const options = { cwd: home, ...user };
    const inside = { ...env, DATA_DIR: data, TMPDIR: tmp, HOME: '/' };
    const program = startProgram(inside, { command: [COMMAND, 'serve'], ...options });
    cleanups.push(() => program.dispose());
    const address = await program.ready();
    const password = readFileSync(join(secrets, 'admin_password'), 'utf8').trim();
    const headers = {
      'x-service-appcode': env.APP_CODE ?? '',
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    };
    const form = new FormData();
    form.set('file', new Blob([readFileSync(join(ROOT, 'docs/images/console-document-dark.png'))]), 'a.png');
    const uploaded = await fetch(`${address}/file`, { method: 'POST', headers, body: form });
    expect(uploaded.status).toBe(201);
    const { id } = ((await uploaded.json()) as { data: { id: string } }).data;
    expect((await fetch(`${address}/file/${id}?resize=50%25`, { headers })).status).toBe(200);
    const making = [COMMAND, 'backup', '--to', join(data, 'monday.tar'), '--throttle', '0'];
    const backup = startProgram(inside, { command: making, ...options });
    expect([(await backup.exit).code, backup.errors()]).toEqual([0, '']);
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['baobab.db', 'blobs', 'monday.tar']));
    // The key comes from its file, and nothing is left behind elsewhere.
    expect([readdirSync(data).includes('secret.key'), readdirSync(home), readdirSync(tmp)]).toEqual([false, [], []]);
  });
});

describe.each([
  ['minio', { pathStyle: null, region: 'us-east-1', endpoint: 'https://minio.internal:9000' }, {}],
  ['r2', { pathStyle: null, region: 'auto', endpoint: expect.stringContaining('r2.cloudflare') }, { region: 'auto' }],
])('the bucket of %s', (name, expected, rules) => {
  const variables = parseEnv(textsOf(`env ${name}`)[0] ?? '') as Variables;

  it('is addressed as the page says, and stores files', async () => {
    const { blobs } = parseConfig(variables);
    expect(blobs).toMatchObject({ kind: 's3', bucket: 'baobab', prefix: '', ...expected });
    if (blobs.kind !== 's3') throw new Error('no bucket');
    const s3 = await startOwnS3();
    cleanups.push(() => s3.stop());
    const { hostname: bucket, searchParams } = new URL(s3.place.url);
    const server = await startStrictS3(searchParams.get('endpoint') ?? '', rules);
    cleanups.push(() => server.stop());
    const store = createS3Blobs({ ...blobs, bucket, endpoint: server.endpoint });
    cleanups.push(() => store.close());
    await store.health();
    const key = blobKey('files', '018f0000-0000-7000-8000-0000000000aa');
    await store.put(key, textBytes('hello'));
    expect((await collect((await store.get(key))?.bytes ?? textBytes())).toString()).toBe('hello');
    const used = new Set(server.seen.map(({ region, path }) => `${region} ${path.startsWith(`/${bucket}`)}`));
    expect([...used]).toEqual([`${expected.region} true`]);
  });
});
