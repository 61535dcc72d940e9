import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const WORKSPACES = ['core', 'adapters', 'contracts', 'http', 'server', 'client', 'console'];

/** Runs a command with the Node that runs the tests. @throws with its output on failure */
export function run(cwd: string, command: string, ...args: readonly string[]): string {
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  return stdout;
}

/** Creates a committed copy of the project with everything installed. */
export function copyProject(folder: string): void {
  const files = run(ROOT, 'git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const file of files) if (file !== '') cpSync(join(ROOT, file), join(folder, file));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@baobab'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@baobab') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of WORKSPACES) symlinkSync(join(folder, 'packages', name), join(modules, '@baobab', name));
  run(folder, 'git', 'init', '--quiet');
  run(folder, 'git', 'add', '--all');
  run(folder, 'git', '-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '-m', 'Copy');
}
