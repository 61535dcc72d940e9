import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createClone } from './support/clone.ts';
import { createFolder } from './support/databases.ts';

const folder = createFolder();
afterAll(folder.remove);

/** Prepares a clone whose program and tests print that the installed Node runs them. The fetched Node only prints. */
function clone(): string {
  const [runner = ''] = createClone(folder.path);
  const program = join(folder.path, 'packages/server/dist/main.js');
  rmSync(program); // it links to the real program
  const bin = join(folder.path, `.node/node_modules/node-${process.platform}-${process.arch}/bin`);
  for (const path of [join(folder.path, 'tests'), bin]) mkdirSync(path, { recursive: true });
  for (const path of [program, join(folder.path, 'tests/run.ts')]) writeFileSync(path, "console.log('installed');");
  writeFileSync(join(bin, 'node'), '#!/bin/sh\necho fetched\n', { mode: 0o755 });
  return runner;
}

const runner = clone();

it.each([
  ['start', '22.15.1', 'fetched'],
  ['start', '22.16.0', 'installed'],
  ['test', '22.16.0', 'fetched'],
  ['test', '23.11.1', 'fetched'],
  ['test', '24.0.0', 'installed'],
])('%s runs with Node %s on the Node that is %s', (task, version, expected) => {
  const older = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', older, runner, task, 'quick'], {
    encoding: 'utf8',
    env: { ...process.env, INIT_CWD: undefined },
  });
  expect([stdout, stderr]).toEqual([`${expected}\n`, '']);
});
