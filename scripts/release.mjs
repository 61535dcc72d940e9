// Creates a release in the folder `release`: `npm run release -- 1.2.3`. It sets the version everywhere, dates the
// entry of the changelog, and writes the tarballs of the packages, a list of all components (SBOM) and their digests.
// It neither commits nor publishes. A failed release leaves the files unchanged.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const RELEASE = join(ROOT, 'release');
/** In the order of their dependencies. */
const PACKAGES = ['core', 'adapters', 'contracts', 'http', 'server', 'client'];
const FOLDERS = [
  ...PACKAGES.map((name) => `packages/${name}`),
  'packages/console',
  'tests',
  'bench',
  'examples/shopping-lists',
  'examples/task-board',
];
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?$/;

/** Files written by this release, with their previous contents. */
const originals = new Map();

function fail(message) {
  for (const [path, text] of originals) writeFileSync(path, text);
  process.stderr.write(`baobab: ${message}\n`);
  process.exit(1);
}

const say = (message) => process.stderr.write(`baobab: ${message}\n`);
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const write = (path, text) => writeFileSync(join(ROOT, path), text);

/** Writes a project file; `fail` restores it. */
function change(path, text) {
  keep(path);
  write(path, text);
}

function keep(path) {
  const full = join(ROOT, path);
  if (!originals.has(full)) originals.set(full, readFileSync(full));
}

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (status !== 0) fail(`"${[command, ...args].join(' ')}" failed: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}

/** Returns the changelog with its newest, undated entry under the version, and an empty entry for the next changes. */
function dated(changelog, version, day) {
  const [before, heading = '', changes = ''] = changelog.split(/^(## .*\n)/m);
  if (heading.includes('(') || changes.trim() === '')
    fail('CHANGELOG.md needs an entry without a date at its top: describe the changes');
  if (changelog.includes(`\n## ${version} `)) fail(`CHANGELOG.md already has a version ${version}`);
  return changelog.replace(before + heading, () => `${before}## Unreleased\n\n## ${version} (${day})\n`);
}

/** Sets the version of a workspace, and of its dependencies on other workspaces. */
function setVersion(manifest, version) {
  manifest.version = version;
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies'])
    for (const name of Object.keys(manifest[kind] ?? {}))
      if (name.startsWith('@baobab/')) manifest[kind][name] = version;
}

function setVersions(version) {
  const edit = (path, set) => {
    const value = JSON.parse(read(path));
    set(value);
    change(path, `${JSON.stringify(value, null, 2)}\n`);
  };
  for (const folder of ['.', ...FOLDERS]) edit(join(folder, 'package.json'), (one) => setVersion(one, version));
  edit('package-lock.json', (lock) => {
    lock.version = version;
    for (const folder of ['', ...FOLDERS]) setVersion(lock.packages[folder], version);
  });
  const constant = 'packages/http/src/version.ts';
  change(
    constant,
    read(constant).replace(/'\d[^']*'/, () => `'${version}'`),
  );
}

/** Marks the installation as matching the lock file, in which only our own versions have changed. */
function keepInstallation() {
  const marker = 'node_modules/.installed';
  keep(marker);
  rmSync(join(ROOT, marker)); // it may be a link
  write(marker, createHash('sha256').update(read('package-lock.json')).digest('hex'));
}

/**
 * Writes the components that an installation has on any platform, in the format CycloneDX (https://cyclonedx.org).
 * Based on the lock file, because the local installation contains only the binaries of this platform.
 */
function writeBill(version) {
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--omit=dev',
    '--package-lock-only',
    '--workspace=@baobab/server',
  ];
  write(join('release', `baobab-${version}.cdx.json`), run('npm', args));
}

function writeDigests() {
  const lines = readdirSync(RELEASE)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(RELEASE, name)))
          .digest('hex')}  ${name}\n`,
    );
  write('release/SHA256SUMS', lines.join(''));
}

const [, , version = ''] = process.argv;
if (!VERSION.test(version)) fail('the version is missing or invalid: npm run release -- 1.2.3');
if (run('git', ['status', '--porcelain']) !== '') fail('there are uncommitted changes: commit or remove them first');

process.on('uncaughtException', ({ stack }) => fail(stack));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => fail(`ended by ${signal}`));
const changelog = dated(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10));
setVersions(version);
keepInstallation();
change('CHANGELOG.md', changelog);
keep('docs/openapi.json');
say('building');
run('node', ['scripts/run.mjs', 'build']);
run('node', ['scripts/run.mjs', 'openapi']);
say('packing');
rmSync(RELEASE, { recursive: true, force: true });
mkdirSync(RELEASE);
run('npm', ['pack', ...PACKAGES.map((name) => `--workspace=packages/${name}`), '--pack-destination=release']);
writeBill(version);
writeDigests();
say(`release ${version} is in the folder "release". Next:
  git diff                                       # read what changed
  git commit --all --message "Release ${version}"
  git tag v${version}
  npm publish release/baobab-core-${version}.tgz   # then adapters, contracts, http, server, client`);
