// Runs the project's tasks, even on a fresh clone: fetches the required Node, installs, builds, runs. Works with any
// Node from 18 and has no dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LEAST_NODE = [22, 16];
const FETCHED_NODE = '24';
const BUILT = join(ROOT, 'packages/server/dist/.built');
const INSTALLED = join(ROOT, 'node_modules/.installed');
const BIN = join(ROOT, 'node_modules/.bin');

const isNewEnough = (version) => {
  const [major, minor] = version.split('.').map(Number);
  return major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
};

function fail(message) {
  process.stderr.write(`baobab: ${message}\n`);
  process.exit(1);
}

/** Runs a command to its end; `quiet` shows its output only when it fails. */
function run(command, args, { node, quiet = false } = {}) {
  const env = node ? { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` } : process.env;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: ROOT,
    env,
    stdio: quiet ? 'pipe' : 'inherit',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  if (quiet) process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  fail(`"${[command, ...args].join(' ')}" failed${error ? `: ${error.message}` : ''}`);
}

/** Runs the npm of our caller under the required Node. */
function npm(args, node) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) run(node, [cli, ...args], { node, quiet: true });
  else run('npm', args, { node, quiet: true });
}

/** The path of a Node that is new enough: the current one, or one fetched as an npm package. */
function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const folder = join(ROOT, '.node');
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const node = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(node)) {
    process.stderr.write(
      `baobab: Node ${process.versions.node} is too old; fetching Node ${FETCHED_NODE} into .node\n`,
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    npm(
      ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', `${name}@${FETCHED_NODE}`],
      process.execPath,
    );
  }
  return node;
}

function install(node) {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return;
  process.stderr.write('baobab: installing dependencies\n');
  npm(['ci', '--no-audit', '--no-fund'], node);
  writeFileSync(INSTALLED, lock);
}

/** When anything below `folder` was last changed. */
function newest(folder) {
  let latest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

const PACKAGES = ['core', 'adapters', 'http', 'server'].map((name) => join(ROOT, 'packages', name));
/** Packages for other programs. The service does not need them, so a start does not build them. */
const FOR_OTHERS = [join(ROOT, 'packages/contracts')];

function build(node, { clean = false } = {}) {
  const sources = [
    ...PACKAGES.map((path) => join(path, 'src')),
    ...PACKAGES.map((path) => join(path, 'tsconfig.json')),
  ];
  const changed = Math.max(...sources.map((path) => (path.endsWith('src') ? newest(path) : statSync(path).mtimeMs)));
  if (!clean && existsSync(BUILT) && statSync(BUILT).mtimeMs > changed) return;
  process.stderr.write('baobab: building\n');
  const wanted = clean ? [...PACKAGES, ...FOR_OTHERS] : PACKAGES;
  for (const path of wanted) rmSync(join(path, 'dist'), { recursive: true, force: true });
  run(node, [join(BIN, 'tsc'), '-b', ...wanted], { node });
  writeFileSync(BUILT, '');
}

/** Takes on the program's output, signals and exit code. */
function become(node, args) {
  const child = spawn(node, args, {
    cwd: process.env.INIT_CWD ?? ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
  });
  // A terminal sends Ctrl-C to the whole group; anything else only to us.
  const forwarded = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM', 'SIGHUP', 'SIGINT'];
  // Each signal once: a sender that signals the whole group has reached the program too, and may repeat the signal.
  const relayed = new Set();
  for (const signal of forwarded)
    process.on(signal, () => {
      if (!relayed.has(signal)) child.kill(signal);
      relayed.add(signal);
    });
  if (process.stdin.isTTY) process.on('SIGINT', () => undefined);
  child.on('error', (error) => fail(error.message));
  // A program that gets a stop signal before it listens for signals ends by that signal.
  const ended = (code, signal) => (signal ? (signal === 'SIGTERM' && relayed.has(signal) ? 0 : 1) : (code ?? 1));
  child.on('exit', (code, signal) => process.exit(ended(code, signal)));
}

const [, , task = 'start', ...rest] = process.argv;
const node = findNode();
install(node);
const bin = (name) => join(BIN, name);
const lint = () => {
  run(bin('biome'), ['check', '.'], { node });
  run(bin('knip'), [], { node });
};
const types = () => run(node, [bin('tsc'), '-b'], { node });

switch (task) {
  case 'start':
    build(node);
    become(node, [join(ROOT, 'packages/server/dist/main.js'), ...rest]);
    break;
  case 'build':
    build(node, { clean: true });
    break;
  case 'lint':
    lint();
    types();
    break;
  case 'fix':
    run(bin('biome'), ['check', '--write', '.'], { node });
    break;
  case 'test':
    build(node);
    lint();
    types();
    become(node, [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      join(ROOT, 'tests/vitest.config.ts'),
      ...rest,
    ]);
    break;
  case 'baobab':
    build(node);
    become(node, [join(ROOT, 'packages/server/dist/cli.js'), ...rest]);
    break;
  case 'test:s3': {
    const [url, ...options] = rest;
    if (!url?.startsWith('s3://'))
      fail("the bucket is missing: npm run test:s3 -- 's3://bucket?endpoint=https://host'");
    process.env.TEST_S3_URL = url;
    build(node);
    become(node, [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      join(ROOT, 'tests/vitest.config.ts'),
      'contracts/blobs',
      'contracts/s3-',
      ...options,
    ]);
    break;
  }
  case 'bench': {
    const [name, ...options] = rest[0]?.startsWith('-') === false ? rest : ['run', ...rest];
    const program = join(ROOT, 'bench', `${name}.ts`);
    if (!/^[a-z]+$/.test(name) || !existsSync(program)) fail(`there is no benchmark "${name}"`);
    build(node);
    become(node, [program, ...options]);
    break;
  }
  case 'openapi':
    become(node, ['--conditions=source', join(ROOT, 'tests/openapi/write.ts')]);
    break;
  default:
    fail(`unknown task "${task}"; there are start, baobab, build, lint, fix, test, bench and openapi`);
}
