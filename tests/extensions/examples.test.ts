import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { INSIDE } from '../support/leftovers.ts';
import { readDocument } from '../support/markdown.ts';
import { typeProblems } from '../support/type-check.ts';

const FOLDER = join(import.meta.dirname, '../../examples/extensions');
const HELPERS = ['start.ts'];
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
const examples = files.filter((name) => !name.endsWith('.test.ts') && !HELPERS.includes(name));

describe('the examples of extensions', () => {
  it('each have a test', () => {
    expect(examples.length).toBeGreaterThan(0);
    const tests = files
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(FOLDER, name), 'utf8'));
    expect(examples.filter((name) => !tests.some((text) => text.includes(`from './${name}'`)))).toEqual([]);
  });

  it('pass their tests with Node alone, without a build', () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--conditions=source', '--test', '--test-force-exit', '--test-timeout=120000'],
      {
        cwd: FOLDER,
        encoding: 'utf8',
      },
    );
    expect([status, /^# fail \d+|^ℹ fail \d+/m.exec(stdout)?.[0].replace(/^\W+/, '')], stdout).toEqual([0, 'fail 0']);
  });

  it('are quoted unchanged in the documentation', () => {
    const quoted = fences(readDocument('docs/extensions.md')).filter(({ info }) => /^ts \S+\.ts$/.test(info));
    expect(quoted.length).toBeGreaterThan(0);
    for (const { info, text } of quoted) {
      expect(text.trim()).toBe(readFileSync(join(FOLDER, info.slice('ts '.length)), 'utf8').trim());
    }
  });

  it('are shown in part by code that compiles', () => {
    const parts = fences(readDocument('docs/extensions.md')).filter(({ info }) => info === 'ts');
    expect(parts.length).toBeGreaterThan(0);
    const { path: folder, remove } = createFolder(INSIDE);
    try {
      const files = parts.map(({ text }, index) => {
        const file = join(folder, `part-${index}.ts`);
        const head =
          "import { defineExtension } from '@baobab/server/extensions';\n\nexport default defineExtension((app) => {";
        writeFileSync(file, `${head}\n${text}});\n`);
        return file;
      });
      expect(typeProblems(files, { customConditions: [], types: ['node'] })).toEqual([]);
    } finally {
      remove();
    }
  });
});
