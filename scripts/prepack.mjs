// Completes the package in the current folder before npm packs it: builds what is out of date and adds the licence.
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
// npm prints the names of the tarballs on standard output, so the compiler's messages go to the other stream.
const { status } = spawnSync(process.execPath, [compiler, '-b', process.cwd()], { stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(status ?? 1);
if (process.cwd() === join(ROOT, 'packages/server')) await import('./bundle.mjs');
copyFileSync(join(ROOT, 'LICENSE'), 'LICENSE');
