import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from './support/databases.ts';
import { startProgram } from './support/program.ts';
import { copyProject, run } from './support/release.ts';

const ROOT = join(import.meta.dirname, '..');
const VERSION = '98.7.6';
const PACKAGES = ['core', 'adapters', 'contracts', 'http', 'server', 'client'] as const;
/** Packages of an installation of the service; the contracts are for authors of adapters. */
const SERVICE = PACKAGES.filter((name) => name !== 'contracts');
/** Timeout of what builds or installs all packages, in milliseconds: three minutes on a quiet machine. */
const PACKAGING_MS = 1_800_000;
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

const folder = createFolder();
const project = join(folder.path, 'project');
const release = join(project, 'release');
const tarball = (name: string) => join(release, `baobab-${name}-${VERSION}.tgz`);
const readTarball = (name: string) => new Uint8Array(readFileSync(tarball(name)));
const read = (path: string) => readFileSync(join(project, path), 'utf8');

beforeAll(() => {
  copyProject(project);
  run(project, process.execPath, 'scripts/release.mjs', VERSION);
}, PACKAGING_MS);
afterAll(() => folder.remove());

describe('a release', () => {
  it('puts the newest changes under its version and date', () => {
    expect(read('CHANGELOG.md')).toMatch(/^## Unreleased\n\n## 98\.7\.6 \(\d{4}-\d\d-\d\d\)\n\nThe first version/m);
  });

  it('has the version in every manifest, in the lock file and in the interface', () => {
    const versions = JSON.parse(read('package-lock.json')).packages;
    for (const workspace of [
      '',
      ...PACKAGES.map((name) => `packages/${name}`),
      'tests',
      'bench',
      'examples/shopping-lists',
      'examples/task-board',
    ]) {
      const manifest = JSON.parse(read(join(workspace, 'package.json')));
      expect([manifest.version, versions[workspace].version]).toEqual([VERSION, VERSION]);
    }
    expect(JSON.parse(read('docs/openapi.json')).info.version).toBe(VERSION);
  });

  it('lists its components and the digests of its files', () => {
    const bill = JSON.parse(read(`release/baobab-${VERSION}.cdx.json`));
    const names = bill.components.map(({ name }: { name: string }) => name);
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version: VERSION } } });
    expect(names).toEqual(expect.arrayContaining(['fastify', 'postgres', 'jimp', 'argon2']));
    expect(names).toEqual(expect.arrayContaining(['@img/sharp-linux-x64', '@img/sharp-darwin-arm64']));
    expect(names).not.toContain('vitest');
    const checked = run(release, 'sha256sum', '--check', 'SHA256SUMS').trim().split('\n');
    expect(checked).toHaveLength(PACKAGES.length + 1);
  });

  it.each([
    ['uncommitted changes', VERSION, /uncommitted changes/],
    ['no version', '', /version is missing or invalid/],
  ])('is refused with %s', (_why, version, message) => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', version], {
      cwd: project,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});

describe('a build beside a running server', () => {
  const main = join(project, 'packages/server/dist/main.js');
  const checks = 'packages/server/src/doctor/running.ts';
  const serve = () => startProgram({ DATABASE_URL: 'memory:', ADMIN_PASSWORD: 'admin' }, { command: [main] });

  it('leaves it the files that it has not loaded yet, and the next server those of the new build', async () => {
    const program = serve();
    try {
      const origin = await program.ready();
      writeFileSync(join(project, checks), read(checks).replaceAll('The database', 'The new build'));
      run(project, process.execPath, 'scripts/bundle.mjs');
      const next = serve();
      try {
        const texts = [];
        for (const address of [origin, await next.ready()]) {
          const headers = { 'x-service-appcode': '1234567890', authorization: `Basic ${btoa('admin:admin')}` };
          texts.push(await (await fetch(`${address}/admin/checks`, { headers })).text());
        }
        expect(texts).toEqual([
          expect.stringContaining('The database answers'),
          expect.stringContaining('The new build answers'),
        ]);
      } finally {
        await next.dispose();
      }
    } finally {
      await program.dispose();
    }
  });
});

describe.each(PACKAGES)('the tarball of @baobab/%s', (name) => {
  it('has the build, the sources that its source maps name, the licence and a README', () => {
    const files = run(release, 'tar', '-tzf', tarball(name))
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''));
    const sources = files.filter((path) => /^src\/.*(?<!\.d)\.ts$/.test(path));
    const built = sources.map((path) => path.replace(/^src\/(.*)\.ts$/, 'dist/$1'));
    expect(sources.length).toBeGreaterThan(2);
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'package.json',
        ...built.flatMap((path) => [`${path}.js`, `${path}.js.map`, `${path}.d.ts`]),
      ]),
    );
    expect(files.filter((path) => /(^|\/)\.|\.test\./.test(path))).toEqual([]);
  });

  it('has a manifest in which publint finds no error and no warning', async () => {
    const { messages, pkg } = await publint({ pack: { tarball: readTarball(name).buffer }, level: 'warning' });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    expect(pkg).toMatchObject({
      license: 'Apache-2.0',
      type: 'module',
      engines: { node: name === 'client' ? '>=18' : '>=22.16' },
    });
    const others = Object.entries({ ...pkg.dependencies, ...pkg.peerDependencies });
    expect(others.filter(([other, version]) => other.startsWith('@baobab/') && version !== VERSION)).toEqual([]);
  });

  it('has types that agree with its code', async () => {
    const checked = await checkPackage(createPackageFromTarballData(readTarball(name)));
    if (checked.types === false) throw new Error('the package has no types');
    // The packages are ES modules: `require` of them works since Node 22.12, which the tool does not know, and the
    // resolution of Node 10 does not.
    const problems = checked.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    );
    expect(problems).toEqual([]);
  });
});

describe('an installation of the tarballs in an empty folder', () => {
  const app = join(folder.path, 'app');

  beforeAll(() => {
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private":true,"type":"module"}');
    run(app, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...SERVICE.map(tarball));
  }, PACKAGING_MS);

  it('serves by "npx baobab", and stores its data in that folder', async () => {
    const npx = realpathSync(run(app, 'sh', '-c', 'command -v npx').trim());
    const program = startProgram(
      { PATH: process.env.PATH ?? '' },
      { command: [npx, 'baobab'], cwd: app, detached: true },
    );
    try {
      const origin = await program.ready();
      for (const path of ['/health/ready', '/console/']) expect((await fetch(origin + path)).status).toBe(200);
      expect(run(app, 'ls', 'data')).toContain('baobab.db');
      expect(run(app, 'npx', 'baobab', '--version').trim()).toBe(VERSION);
    } finally {
      // npx runs the program in a shell; all of them are one process group.
      program.killGroup('SIGTERM');
      await program.exit;
    }
  });

  it('writes an extension, whose test succeeds', () => {
    run(app, 'npx', 'baobab', 'extension', 'new', 'notes');
    expect(run(join(app, 'notes'), process.execPath, '--test')).toMatch(/^ℹ pass 3$/m);
  });

  it.each([
    ['node16', 'node16'],
    ['bundler', 'esnext'],
  ])('has types for the tests of an app under moduleResolution %s', (moduleResolution, module) => {
    writeFileSync(
      join(app, 'app.ts'),
      `import { createTestBackend } from '@baobab/server/testing';\nconst wrong: number = await createTestBackend();\n`,
    );
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }));
    const { stdout } = spawnSync(process.execPath, [COMPILER], { cwd: app, encoding: 'utf8' });
    const errors = stdout.split('\n').filter((line) => line.includes('error'));
    expect(errors).toEqual([expect.stringMatching(/^app\.ts\(2,7\): error TS2322/)]);
  });
});
