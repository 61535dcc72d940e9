import { execFileSync, type StdioOptions } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSIONS } from './versions.ts';

/** Folder of downloaded programs, reused by later runs and outside the clone. `BENCH_PEERS` overrides it. */
const HOME = process.env.BENCH_PEERS ?? join(tmpdir(), 'baobab-bench-peers');
/** Location of Go if it is not in `PATH`. */
const GO = '/usr/local/go/bin';

const quiet: { stdio: StdioOptions } = { stdio: ['ignore', 'ignore', 'inherit'] };

/** Creates a folder with `make` unless an earlier run has completed it. */
function kept(name: string, make: (folder: string) => void): string {
  const folder = join(HOME, name);
  if (existsSync(folder)) return folder;
  const incomplete = `${folder}.incomplete`;
  rmSync(incomplete, { recursive: true, force: true });
  mkdirSync(incomplete, { recursive: true });
  make(incomplete);
  renameSync(incomplete, folder);
  return folder;
}

/** Builds PocketBase from the sources in Go's module proxy. Returns the path of the program. */
export function buildPocketbase(): string {
  const source = fileURLToPath(new URL('pocketbase/main.go', import.meta.url));
  const folder = kept(`pocketbase-${VERSIONS.pocketbase}`, (at) => {
    copyFileSync(source, join(at, 'main.go'));
    const module = `module peer\n\nrequire github.com/pocketbase/pocketbase ${VERSIONS.pocketbase}\n`;
    writeFileSync(join(at, 'go.mod'), module);
    const env = { ...process.env, PATH: `${process.env.PATH}:${GO}`, CGO_ENABLED: '0' };
    execFileSync('go', ['mod', 'tidy'], { ...quiet, cwd: at, env });
    execFileSync('go', ['build', '-o', 'pocketbase', '.'], { ...quiet, cwd: at, env });
  });
  return join(folder, 'pocketbase');
}

/** Installs Parse Server from npm. Returns the folder. */
export function installParse(): string {
  return kept(`parse-${VERSIONS.parseServer}`, (at) => {
    const { parseServer, parseFiles } = VERSIONS;
    const dependencies = { 'parse-server': parseServer, '@parse/fs-files-adapter': parseFiles };
    writeFileSync(join(at, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const options = ['--no-audit', '--no-fund', '--omit=dev', '--ignore-scripts', '--prefer-offline'];
    execFileSync('npm', ['install', ...options], { ...quiet, cwd: at });
  });
}
