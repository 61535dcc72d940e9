import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFolder } from './support/databases.ts';
import { fences } from './support/fences.ts';
import { INSIDE } from './support/leftovers.ts';
import { readDocument } from './support/markdown.ts';
import { typeProblems } from './support/type-check.ts';

// Inside the project, so that the packages are found.
const { path: folder, remove } = createFolder(INSIDE);
afterAll(remove);

const files = fences(readDocument('docs/testing.md')).flatMap(({ info, text }) => {
  const [, name] = /^ts (\S+)$/.exec(info) ?? [];
  return name === undefined ? [] : [[name, text] as const];
});
for (const [name, text] of files) writeFileSync(join(folder, name), text);

const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--experimental-strip-types', '--no-warnings', '--conditions=source', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });

describe('the page about tests', () => {
  it('has code that compiles', () => {
    expect(files.map(([name]) => name)).toEqual(['notes.test.ts', 'mail.test.ts', 'inject.ts']);
    // Built packages, as an app finds them. Their sources would be checked too, which takes minutes.
    const options = { customConditions: [], types: ['node'] };
    expect(
      typeProblems(
        files.map(([name]) => join(folder, name)),
        options,
      ),
    ).toEqual([]);
  });

  it('has tests that pass', () => {
    const { status, stdout } = node('--test');
    expect([status, /^(?:#|ℹ) pass \d+/m.exec(stdout)?.[0].replace(/^\W+/, '')], stdout).toEqual([0, 'pass 4']);
  });

  it('sends a request without a socket', () => {
    expect(node('inject.ts').stdout).toBe('ready\n');
  });
});
