import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from './support/program.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVER = join(ROOT, 'packages/server');
const BUNDLE = join(SERVER, 'dist/bundle');

/** The package of a specifier or of a path. */
const packageOf = (text: string) => /^(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(text)?.[1] ?? '';
const read = (name: string) => readFileSync(join(BUNDLE, name), 'utf8');

let scripts: string[] = [];
beforeAll(() => {
  build();
  scripts = readdirSync(BUNDLE).filter((name) => name.endsWith('.js'));
});

/** The sources of the bundle, as its source maps name them. */
const sources = () =>
  scripts
    .map((name) => `${name}.map`)
    .filter((name) => existsSync(join(BUNDLE, name)))
    .flatMap((name) => JSON.parse(read(name)).sources as string[]);

describe('the bundle of the program', () => {
  it('has the five entries, and the code of our packages and of libraries', () => {
    expect(scripts).toEqual(
      expect.arrayContaining([
        'program.js',
        'commands.js',
        'password-worker.js',
        'search-thread.js',
        'sharp-process.js',
        'wasm-worker.js',
      ]),
    );
    for (const name of ['core', 'adapters', 'http', 'server'])
      expect(
        sources().some((path) => resolve(BUNDLE, path).includes(`/packages/${name}/src/`)),
        name,
      ).toBe(true);
    expect(sources().map(packageOf)).toEqual(expect.arrayContaining(['fastify', 'typebox', 'postgres']));
  });

  it('has source maps whose sources exist', () => {
    const missing = sources().filter((path) => !path.includes('\0') && !existsSync(resolve(BUNDLE, path)));
    expect(missing).toEqual([]);
  });

  it('names no folder of the machine on which it was made', () => {
    for (const name of scripts) expect(read(name).includes(ROOT), name).toBe(false);
  });

  it('has no character that would make V8 keep a file with two bytes for each character', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII
    for (const name of scripts) expect(read(name), name).toMatch(/^[\x00-\x7f]*$/);
  });

  it('loads from outside only what the manifest of the server lists', () => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(SERVER, 'package.json'), 'utf8'));
    const loads =
      /(?:^(?:import|export)\b[^;]*? from |^import |\bimport\(|\b__require\(|\bimport\.meta\.resolve\(|\breadModule\()["'](?!node:|\.)([^"']+)["']/gm;
    const outside = scripts.flatMap((name) =>
      Array.from(read(name).matchAll(loads), ([, path = '']) => packageOf(path)),
    );
    expect(outside).toEqual(expect.arrayContaining(['argon2', '@aws-sdk/client-s3', '@jsquash/png', 'jose']));
    const listed = ['@baobab/server', ...Object.keys({ ...dependencies, ...optionalDependencies })];
    expect([...new Set(outside)].filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('comes with the licence of every library in it', () => {
    const licences = read('LICENSES.txt').split(`\n\n${'-'.repeat(80)}\n\n`);
    const named = licences.map((text) => text.split(' ', 1)[0]);
    const inside = sources().flatMap((path) => (path.includes('/node_modules/') ? [packageOf(path)] : []));
    expect(new Set(named)).toEqual(new Set([...inside, ...named]));
    expect(inside.length).toBeGreaterThan(100);
    for (const text of licences) expect(text, text.slice(0, 40)).toMatch(/^\S+ \d+\.\d+\.\d+ \(\S+.*\)\n\n[\s\S]+/);
    const short = licences.filter((text) => text.length < 300).map((text) => text.split(' ', 1)[0]);
    expect(short).toEqual(['abstract-logging', 'postgres']); // They come without one.
  });
});
