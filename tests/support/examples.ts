import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const RUNNER = join(ROOT, 'scripts/run.mjs');
/** Default server address of the apps. */
const ADDRESS = 'http://localhost:9000';

/** An example app, by its folder. */
export type Example = 'shopping-lists' | 'task-board';

export const exampleFolder = (name: Example) => join(ROOT, 'examples', name);

/** Returns the files of a built example by path, for a server at another address. Builds it first if necessary. */
export function builtExample(name: Example, service: string): Record<string, string> {
  const { status, stderr } = spawnSync(process.execPath, [RUNNER, 'build-examples'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the examples cannot be built:\n${stderr}`);
  const site = join(exampleFolder(name), 'dist/site');
  const names = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    names.map((path) => [path.slice(site.length), readFileSync(path, 'utf8').replaceAll(ADDRESS, service)]),
  );
}

/** Prepares a server for an example. Resolves to the output. */
export async function setUpExample(name: Example, service: string, password: string): Promise<string> {
  const task = [RUNNER, 'example', name, 'set-up', service, password];
  const { stdout } = await promisify(execFile)(process.execPath, task);
  return stdout;
}
