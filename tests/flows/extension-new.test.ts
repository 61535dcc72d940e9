import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newExtension } from '../../packages/server/src/cli/new-extension.ts';
import type { Output } from '../../packages/server/src/cli/output.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const CACHE = join(ROOT, '.cache');

describe('"extension new"', () => {
  // In this clone, so that the packages are found.
  mkdirSync(CACHE, { recursive: true });
  const place = mkdtempSync(join(CACHE, 'extension-'));
  const folder = join(place, 'notes');
  const output = { result: () => undefined } as unknown as Output;
  const write = (name: string) =>
    newExtension({ host: { cwd: () => place }, output } as unknown as Parameters<typeof newExtension>[0], name);

  beforeAll(() => write('notes'));
  afterAll(() => rmSync(place, { recursive: true }));

  it('writes an extension whose test succeeds', () => {
    const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd: folder, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^ℹ pass 3$/m)]);
  });

  it('has types', () => {
    const check = () => spawnSync(process.execPath, [COMPILER], { cwd: folder, encoding: 'utf8' }).stdout;
    expect(check()).toBe('');
    const module = join(folder, 'notes.ts');
    writeFileSync(module, readFileSync(module, 'utf8').replace('content.words = words', "content.words = 'many'"));
    expect(check()).toMatch(/^notes\.ts\(\d+,\d+\): error TS2322/);
  });

  it('refuses a folder that exists, and invalid names', () => {
    expect(() => write('notes')).toThrow('exists already');
    expect(() => write('Notes')).toThrow('a name is up to 64 lower-case letters');
  });
});
