import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linesOf } from '../support/answers.ts';
import { createFolder } from '../support/databases.ts';
import { fences, stepsOf } from '../support/fences.ts';
import { createReader, type Reader } from '../support/followed.ts';
import { INSIDE } from '../support/leftovers.ts';
import { readDocument } from '../support/markdown.ts';
import { until } from '../support/patience.ts';

const ADDRESS = 'http://localhost:9000';
const START = 'docs/start-';
const STARTS = ['http', 'javascript', 'react', 'nextjs', 'sveltekit', 'vue', 'expo', 'kotlin', 'swift', 'flutter'].map(
  (name) => `${START}${name}.md`,
);
/** Programs of the pages that run without a browser, and the end of their output. */
const PROGRAMS: Readonly<Record<string, { readonly info: string; readonly last: RegExp }>> = {
  'README.md': { info: 'ts', last: /'Milk: 3'/ },
  [`${START}javascript.md`]: { info: 'ts todos.ts', last: /Bread$/ },
};

let reader: Reader;
// Inside the project, so that the packages are found.
const { path: folder, remove } = createFolder(INSIDE);
beforeAll(async () => {
  reader = await createReader({ files: {}, env: {}, addresses: {} });
});
afterAll(async () => {
  await reader.close();
  remove();
});

/** Follows the commands of a page. A collection may exist already. */
async function follow(path: string): Promise<void> {
  const steps = stepsOf(readDocument(path));
  expect(steps.length, path).toBeGreaterThan(0);
  for await (const { line, status, printed, shown } of reader.follow(readDocument(path))) {
    const known = printed.includes('"code":"collection.exists"') ? linesOf(shown).slice(1) : linesOf(shown);
    const found = linesOf(printed).filter((text) => !text.includes('"code":"collection.exists"'));
    expect({ place: `${path}:${line}`, status, found }).toEqual({ place: `${path}:${line}`, status: 0, found: known });
  }
}

async function runProgram(path: string): Promise<void> {
  const program = PROGRAMS[path];
  if (program === undefined) return;
  const [{ text = '' } = {}] = fences(readDocument(path)).filter(({ info }) => info === program.info);
  expect(text).toContain(ADDRESS);
  const file = join(folder, 'program.ts');
  writeFileSync(file, text.replaceAll(ADDRESS, reader.address));
  const child = spawn(process.execPath, ['--experimental-strip-types', '--no-warnings', '--conditions=source', file]);
  const shown = { output: '', errors: '' };
  child.stdout.on('data', (chunk) => {
    shown.output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    shown.errors += chunk;
  });
  try {
    await until(() => program.last.test(shown.output.trimEnd()) || shown.errors !== '');
    expect([path, shown.errors]).toEqual([path, '']);
  } finally {
    child.kill();
  }
}

it('can be followed one after the other on one server, and again', async () => {
  for (let round = 1; round <= 2; round++) {
    for (const path of ['README.md', ...STARTS]) {
      await follow(path);
      await runProgram(path);
    }
  }
});
