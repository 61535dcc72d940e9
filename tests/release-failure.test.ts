import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFolder } from './support/databases.ts';
import { copyProject, run } from './support/release.ts';

const folder = createFolder();
const project = join(folder.path, 'project');
const marker = join(project, 'node_modules/.installed');

afterAll(() => folder.remove());

it('leaves all files unchanged if the build of a release fails', () => {
  copyProject(project);
  writeFileSync(join(project, 'scripts/run.mjs'), "if (process.argv[2] === 'build') process.exit(1);\n");
  run(project, 'git', '-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-qam', 'Break the build');
  const installed = readFileSync(marker, 'utf8');

  const { status, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', '98.7.6'], {
    cwd: project,
    encoding: 'utf8',
  });

  expect([status, stderr]).toEqual([1, expect.stringContaining('scripts/run.mjs build" failed')]);
  expect(run(project, 'git', 'status', '--porcelain')).toBe('');
  expect(readFileSync(marker, 'utf8')).toBe(installed);
});
