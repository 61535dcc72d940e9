// Prepares the package in the current folder before npm packs it: builds outdated files and adds the licence.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
// npm prints the names of the tarballs to standard output, so the compiler's messages go to standard error.
const { status } = spawnSync(process.execPath, [compiler, '-b', process.cwd()], { stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(status ?? 1);
if (process.cwd() === join(ROOT, 'packages/server')) {
  rmSync('dist/bundle', { recursive: true, force: true });
  await import('./bundle.mjs');
  // The console is part of the server's package.
  const built = join(ROOT, 'packages/console/dist/site');
  const packed = join(process.cwd(), 'dist/console');
  const builder = spawnSync(process.execPath, [join(ROOT, 'packages/console/build.mjs')], { stdio: ['ignore', 2, 2] });
  if (builder.status !== 0) process.exit(builder.status ?? 1);
  rmSync(packed, { recursive: true, force: true });
  cpSync(built, packed, { recursive: true });
}
copyFileSync(join(ROOT, 'LICENSE'), 'LICENSE');
