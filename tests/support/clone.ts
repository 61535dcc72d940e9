import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from './program.ts';

const RUNNER = join(import.meta.dirname, '../../scripts/run.mjs');
const AN_HOUR_MS = 3_600_000;

/**
 * Creates a folder that `scripts/run.mjs` accepts as an installed and built clone, with the real program. Returns the
 * command line that runs there like `npm start`.
 */
export function createClone(folder: string): readonly string[] {
  const make = (...path: string[]) => mkdirSync(join(folder, ...path), { recursive: true });
  const write = (text: string, ...path: string[]) => writeFileSync(join(folder, ...path), text);
  const lock = '{}';
  make('node_modules');
  write(lock, 'package-lock.json');
  write(createHash('sha256').update(lock).digest('hex'), 'node_modules', '.installed');
  for (const name of ['core', 'adapters', 'http', 'server']) {
    make('packages', name, 'src');
    write('{}', 'packages', name, 'tsconfig.json');
  }
  const dist = join(folder, 'packages/server/dist');
  mkdirSync(dist);
  symlinkSync(PROGRAM, join(dist, 'main.js'));
  writeFileSync(join(dist, '.built'), '');
  make('packages/client/src');
  make('packages/console/src');
  make('packages/console/dist/site');
  for (const name of ['index.html', 'build.mjs', 'dist/site/index.html']) write('', 'packages/console', name);
  const later = new Date(Date.now() + AN_HOUR_MS);
  for (const built of [join(dist, '.built'), join(folder, 'packages/console/dist/site/index.html')]) {
    utimesSync(built, later, later);
  }
  make('scripts');
  const runner = join(folder, 'scripts', 'run.mjs');
  copyFileSync(RUNNER, runner);
  write('', 'scripts', 'bundle.mjs');
  return [runner, 'start'];
}
