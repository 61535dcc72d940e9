import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from './support/databases.ts';
import { readDocument } from './support/markdown.ts';

const ROOT = join(import.meta.dirname, '..');
const TIME_LIMIT_MS = 120_000;

const page = readDocument('docs/writing-an-adapter.md');

/** The files that the page shows, by name. */
const files = new Map(
  Array.from(page.matchAll(/^```ts (\S+\.ts)\n([\s\S]*?)^```$/gm), ([, name = '', text = '']) => [name, text] as const),
);

/** The one command that the page shows. */
const [command = ''] = Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, text = '']) => text);

function run(cwd: string, program: string, ...args: readonly string[]): { status: number | null; output: string } {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: cwd, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** Runs the adapter's tests in a folder outside of the project that has the packages as they are built. */
function runAlone(change: (adapter: string) => string): { status: number | null; output: string } {
  const folder = createFolder();
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
    writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
    for (const [name, text] of files) {
      writeFileSync(join(folder.path, name), name === 'folder-mailer.ts' ? change(text) : text);
    }
    return run(folder.path, 'bash', '-c', command);
  } finally {
    folder.remove();
  }
}

describe('the adapter in docs/writing-an-adapter.md', () => {
  beforeAll(() => {
    const { status, output } = run(
      ROOT,
      process.execPath,
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-b',
      'packages/contracts',
    );
    expect([status, output]).toEqual([0, '']);
  }, TIME_LIMIT_MS);

  it('is there with its test', () => {
    expect([...files.keys()]).toEqual(['folder-mailer.ts', 'folder-mailer.test.ts']);
  });

  it(
    'keeps the contract, by one command in a package of its own',
    () => {
      const { status, output } = runAlone((adapter) => adapter);
      expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/Tests\s+12 passed \(12\)/) });
    },
    TIME_LIMIT_MS,
  );

  it(
    'is found out when it does not',
    () => {
      const { status, output } = runAlone((adapter) => adapter.replace(' || !isOneLine(subject)', ''));
      expect({ status, output }).toEqual({
        status: 1,
        output: expect.stringMatching(/adds no header and no recipient/),
      });
    },
    TIME_LIMIT_MS,
  );
});
