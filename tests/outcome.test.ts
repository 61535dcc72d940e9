import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFolder } from './support/databases.ts';
import { INSIDE } from './support/leftovers.ts';
import type { Outcome } from './support/outcome.ts';

const ROOT = join(import.meta.dirname, '..');
const { path: folder, remove } = createFolder(INSIDE);
afterAll(remove);

it('the outcome of a run names the file in which a worker died, and those that waited for it', async () => {
  const files = { first: "process.kill(process.pid, 'SIGKILL');", second: '' };
  for (const [name, body] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.test.ts`), `import { it } from 'vitest';\nit('${name}', () => { ${body} });\n`);
  }
  const config = join(folder, 'vitest.config.ts');
  const reporters = [join(ROOT, 'tests/support/outcome-reporter.ts')];
  const test = { root: folder, isolate: false, fileParallelism: false, reporters };
  writeFileSync(config, `export default { test: ${JSON.stringify(test)} };\n`);
  const written = join(folder, 'outcome.json');
  const error = await new Promise((resolve) => {
    const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config];
    execFile(process.execPath, args, { env: { ...process.env, TEST_OUTCOME: written } }, resolve);
  });
  expect(error).toMatchObject({ code: 1 });
  const outcome = Object.entries(JSON.parse(readFileSync(written, 'utf8')) as Outcome);
  const unfinished = 'it did not end: its worker died';
  expect(Object.fromEntries(outcome.map(([path, { failures }]) => [basename(path), failures]))).toEqual({
    'first.test.ts': [
      { test: 'first', error: 'pending' },
      { test: 'the file', error: unfinished },
    ],
    'second.test.ts': [{ test: 'the file', error: unfinished }],
  });
});
