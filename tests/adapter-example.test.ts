import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from './support/databases.ts';
import { fences } from './support/fences.ts';
import { readDocument } from './support/markdown.ts';
import { contractSuites } from './support/suites.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKED = ['core', 'contracts', 'adapters'];

const page = fences(readDocument('docs/writing-an-adapter.md'));

/** The files that the page shows, by name. */
const files = new Map(
  page.flatMap(({ info, text }) => (info.startsWith('ts ') ? [[info.slice(3), text] as const] : [])),
);

/** The commands that the page shows: the one that makes the packages, and the one that tests an adapter. */
const [pack = '', test = ''] = page.flatMap(({ info, text }) => (info === 'sh' ? [text.trim()] : []));

/** Our own adapters under their contracts, as an external package sees them: an incomplete package fails here. */
const OURS = [
  ...['ports', 'push'].map((name) => `contracts/${name}.test.ts`),
  ...[
    'clock',
    'fixed-settings',
    'logger',
    'oauth/networks',
    'push/apns',
    'push/fcm',
    'push/memory',
    'push/stand-in',
  ].map((name) => `support/${name}.ts`),
];

/** Suites that take long: only their types are checked. */
const TYPED = ['contracts/images.test.ts', 'contracts/oauth.test.ts'];

/** The pictures of the contract come with its package, so one adapter for images is tested as well. */
const IMAGES = `
import { createImages } from '@baobab/adapters/images';
import { imagesContract } from '@baobab/contracts/images';
import { silentLogger } from './support/logger.ts';

imagesContract('the installed adapters', (limits) => createImages(limits, silentLogger));
`;

/** A test that imports every suite: each comes with all its dependencies. */
const everySuite = (names: readonly string[]) => `
import { expect, it } from 'vitest';
${names.map((name, i) => `import * as suite${i} from '@baobab/contracts/${name}';`).join('\n')}

it.each([${names.map((_, i) => `suite${i}`)}].map((suite) => Object.keys(suite)))('%o', (...names) => {
  expect(names).toContainEqual(expect.stringMatching(/Contract$/));
});
`;

function run(cwd: string, program: string, ...args: readonly string[]): { status: number | null; output: string } {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: process.env.HOME, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

function succeed(cwd: string, program: string, ...args: readonly string[]): void {
  const { status, output } = run(cwd, program, ...args);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${output}`);
}

/** Puts a package of this project's dependencies where an installation would put it. */
function link(name: string, modules: string): void {
  const places = [ROOT, ...PACKED.map((one) => join(ROOT, 'packages', one))];
  const found = places.map((place) => join(place, 'node_modules', name)).find((path) => existsSync(path));
  const path = join(modules, name);
  if (found === undefined || existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(found, path);
}

/** The packages in their published form, with their declared dependencies: nothing else of the project. */
function installPacked(folder: string): void {
  const modules = join(folder, 'node_modules');
  succeed(ROOT, 'bash', '-c', `${pack.replace('../my-adapter', folder)} --workspace packages/adapters`);
  for (const name of PACKED) {
    const path = join(modules, '@baobab', name);
    mkdirSync(path, { recursive: true });
    const packed = readdirSync(folder).find((file) => file.startsWith(`baobab-${name}-`)) ?? '';
    succeed(folder, 'tar', '-xzf', packed, '-C', path, '--strip-components=1');
    const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(path, 'package.json'), 'utf8'),
    );
    const needed = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
    for (const one of needed.filter((dependency) => !dependency.startsWith('@baobab/'))) link(one, modules);
  }
  link('@types/node', modules); // for authors who write in TypeScript for Node
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../vitest/vitest.mjs', join(modules, '.bin/vitest'));
}

describe('the contract kit in an external package', () => {
  const folder = createFolder();
  const suites = contractSuites();

  beforeAll(() => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    succeed(ROOT, process.execPath, tsc, '-b', 'packages/contracts', 'packages/adapters');
    installPacked(folder.path);
    writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
    for (const [name, text] of files) writeFileSync(join(folder.path, name), text);
    writeFileSync(join(folder.path, 'all.test.ts'), everySuite(suites));
    writeFileSync(join(folder.path, 'images.test.ts'), IMAGES);
    for (const name of [...OURS, ...TYPED]) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      copyFileSync(join(ROOT, 'tests', name), join(folder.path, name));
    }
    for (const name of TYPED) renameSync(join(folder.path, name), join(folder.path, name.replace('.test', '')));
  });
  afterAll(() => folder.remove());

  it('contains the adapter of docs/writing-an-adapter.md with its test', () => {
    expect([...files.keys()]).toEqual(['folder-mailer.ts', 'folder-mailer.test.ts']);
  });

  it('runs by one command, also for images, push and the small ports', () => {
    const { status, output } = run(folder.path, 'bash', '-c', test);
    expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/Test Files\s+5 passed \(5\)/) });
  });

  it('declares in its types what a subject is', () => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--types', 'node'];
    const { status, output } = run(
      folder.path,
      process.execPath,
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...options,
      ...['--target', 'es2023', '--module', 'nodenext', '--moduleResolution', 'nodenext'],
      ...[...files.keys(), ...OURS, ...TYPED.map((name) => name.replace('.test', '')), 'all.test.ts', 'images.test.ts'],
    );
    expect({ status, output }).toEqual({ status: 0, output: '' });
  });

  it('detects an adapter that violates its contract', () => {
    const text = files.get('folder-mailer.ts') ?? '';
    writeFileSync(join(folder.path, 'folder-mailer.ts'), text.replace(' || !isOneLine(subject)', ''));
    const { status, output } = run(folder.path, 'bash', '-c', `${test} folder-mailer`);
    expect({ status, output }).toEqual({
      status: 1,
      output: expect.stringMatching(/adds no header and no recipient/),
    });
  });
});
