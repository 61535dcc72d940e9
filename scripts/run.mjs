// Runs the project's tasks, even on a fresh clone: downloads the required Node, installs, builds, runs. Works with any
// Node from 18 and has no dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, setPriority, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LEAST_NODE = [22, 16];
const FETCHED_NODE = 24;
const BUILT = join(ROOT, 'packages/server/dist/.built');
const INSTALLED = join(ROOT, 'node_modules/.installed');
const BIN = join(ROOT, 'node_modules/.bin');
/** Older versions of Node require a flag to run TypeScript, and then print a warning. */
const TYPESCRIPT = ['--experimental-strip-types', '--no-warnings'];

/** Workspaces that the server is built from. Those for development are as large again, so `start` skips them. */
const OF_SERVICE = ['core', 'adapters', 'http', 'server'];
/** Workspaces that the page at /console is built from. */
const OF_CONSOLE = ['client', 'console'];
/** Tasks that need no other workspaces. */
const SERVING = ['start', 'baobab', 'example', 'pack:client'];

/**
 * Returns true if a version of Node can run a task. A deployment needs the Node of the server. Everything else needs the
 * fetched one, because tests start processes that run TypeScript without a flag, and compare their output, in which
 * older versions print warnings about SQLite.
 */
function isNewEnough(version, task) {
  const [major, minor] = version.split('.').map(Number);
  const isOfDeployment = SERVING.includes(task) || /^(?:install|build)/.test(task);
  const [leastMajor, leastMinor] = isOfDeployment ? LEAST_NODE : [FETCHED_NODE, 0];
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function fail(message) {
  process.stderr.write(`baobab: ${message}\n`);
  process.exit(1);
}

/**
 * Reports a step of the preparation; on a terminal, also its duration.
 *
 * @param hint reason why it may take a while
 */
function step(name, hint, work) {
  if (!process.stderr.isTTY) {
    process.stderr.write(`baobab: ${name}\n`);
    work();
    return;
  }
  process.stderr.write(`baobab: ${name} (${hint}) … `);
  const began = Date.now();
  work();
  process.stderr.write(`done in ${Math.ceil((Date.now() - began) / 1000)} s\n`);
}

/** Runs a command and waits for it; `quiet` shows its output only if it fails. */
function run(command, args, { node, quiet = false, variables = {} } = {}) {
  const env = { ...process.env, ...variables };
  if (node) env.PATH = `${dirname(node)}:${process.env.PATH}`;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: ROOT,
    env,
    stdio: quiet ? 'pipe' : 'inherit',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  if (quiet) process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${stdout ?? ''}${stderr ?? ''}`);
  fail(`"${[command, ...args].join(' ')}" failed${error ? `: ${error.message}` : ''}`);
}

/** Runs the caller's npm under the required Node. */
function npm(args, node) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) run(node, [cli, ...args], { node, quiet: true });
  else run('npm', args, { node, quiet: true });
}

const PREPARING = join(ROOT, '.cache/preparing');
const LOOK_AGAIN_MS = 100;

/** Returns the process that prepares this clone; null if there is none or it ended early. */
function preparer() {
  try {
    const pid = Number(readFileSync(PREPARING, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : null;
  }
}

/** Runs `work` while no other process prepares this clone. Two concurrent ones would delete each other's files. */
function alone(work) {
  mkdirSync(dirname(PREPARING), { recursive: true });
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      writeFileSync(PREPARING, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const other = preparer();
    if (other === null) rmSync(PREPARING, { force: true });
    else if (!hasWaited) process.stderr.write(`baobab: waiting for process ${other}, which prepares this folder\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  }
  const end = () => rmSync(PREPARING, { force: true });
  process.on('exit', end); // after a failure
  const result = work();
  process.off('exit', end);
  end();
  return result;
}

/** Returns the path of a Node that is recent enough for a task: the current one, or one downloaded as an npm package. */
function findNode(task) {
  if (isNewEnough(process.versions.node, task)) return process.execPath;
  const folder = join(ROOT, '.node');
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const node = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const args = [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--prefer-offline',
      `${name}@${FETCHED_NODE}`,
    ];
    const what = `Node ${process.versions.node} is too old for "${task}"; fetching Node ${FETCHED_NODE} into .node`;
    step(what, 'only once', () => npm(args, process.execPath));
  }
  return node;
}

/** With little memory, each step takes at most 0.8 GB. Otherwise npm and the threads of the compiler take up to 2 GB. */
const hasLittleMemory = () => Math.min(totalmem(), process.constrainedMemory?.() || Infinity) < 3 * 1024 ** 3;

/** Installs the packages that the task needs. */
function install(node, task) {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  const onlyService = `${lock} service`;
  const installed = existsSync(INSTALLED) ? readFileSync(INSTALLED, 'utf8') : '';
  const isServing = SERVING.includes(task);
  if (installed === lock || (isServing && installed === onlyService)) return;
  const workspaces = [...OF_SERVICE, ...OF_CONSOLE].flatMap((name) => ['--workspace', `packages/${name}`]);
  // The lock file contains versions and digests, so cached metadata of packages is sufficient.
  const options = ['--no-audit', '--no-fund', '--prefer-offline'];
  const ofService = ['ci', ...workspaces, '--include-workspace-root'];
  // `npm ci` starts with an empty folder, so a server running from this clone would lose its modules.
  const others = ['install', '--no-save'];
  let commands = [['ci']];
  if (isServing) commands = [ofService];
  else if (installed === onlyService) commands = [others];
  else if (hasLittleMemory()) commands = [ofService, others];
  step('installing dependencies', 'up to a minute', () => {
    for (const command of commands) npm([...command, ...options], node);
  });
  writeFileSync(INSTALLED, isServing ? onlyService : lock);
}

/** Returns the time of the last change below `folder`. */
function newest(folder) {
  let latest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

const PACKAGES = OF_SERVICE.map((name) => join(ROOT, 'packages', name));
const BUNDLER = join(ROOT, 'scripts/bundle.mjs');
/** Packages for other programs. The server does not need them, so `start` does not build them. */
const FOR_OTHERS = [join(ROOT, 'packages/contracts'), join(ROOT, 'packages/client')];

function build(node, options) {
  alone(() => buildAll(node, options));
}

function buildAll(node, { clean = false } = {}) {
  const sources = [
    ...PACKAGES.map((path) => join(path, 'src')),
    ...PACKAGES.map((path) => join(path, 'tsconfig.json')),
    BUNDLER,
    join(ROOT, 'package-lock.json'), // the bundle contains libraries
  ];
  const changed = Math.max(...sources.map((path) => (path.endsWith('src') ? newest(path) : statSync(path).mtimeMs)));
  if (!clean && existsSync(BUILT) && statSync(BUILT).mtimeMs > changed) return;
  const wanted = clean ? [...PACKAGES, ...FOR_OTHERS] : PACKAGES;
  step('building', 'a few seconds', () => {
    for (const path of wanted) {
      const dist = join(path, 'dist');
      // A running server still loads files of its bundle, and the bundler removes those of earlier builds.
      const old = existsSync(dist) ? readdirSync(dist).filter((name) => name !== 'bundle') : [];
      for (const name of old) rmSync(join(dist, name), { recursive: true, force: true });
    }
    const options = hasLittleMemory() ? ['--singleThreaded'] : [];
    run(node, [join(BIN, 'tsc'), '-b', ...options, ...wanted], { node, quiet: true });
    run(node, [BUNDLER], { node, quiet: true });
  });
  writeFileSync(BUILT, '');
}

const CONSOLE = join(ROOT, 'packages/console');
const CONSOLE_BUILDER = join(CONSOLE, 'build.mjs');

/** Returns true if a built page is newer than its sources. */
function isCurrent(page, files, folders) {
  if (!existsSync(page)) return false;
  const sources = [...files, join(ROOT, 'package-lock.json')];
  const changed = Math.max(...sources.map((path) => statSync(path).mtimeMs), ...folders.map(newest));
  return statSync(page).mtimeMs > changed;
}

function isConsoleCurrent() {
  const folders = OF_CONSOLE.map((name) => join(ROOT, 'packages', name, 'src'));
  return isCurrent(join(CONSOLE, 'dist/site/index.html'), [join(CONSOLE, 'index.html'), CONSOLE_BUILDER], folders);
}

function buildConsole(node, { clean = false } = {}) {
  if (!clean && isConsoleCurrent()) return;
  step('building the console', 'a few seconds', () => run(node, [CONSOLE_BUILDER], { node, quiet: true }));
}

/**
 * Builds the console in the background. The server does not wait for it, and responds to its requests with 503 until
 * then.
 */
function buildConsoleMeanwhile(node) {
  if (process.env.CONSOLE === 'off' || isConsoleCurrent()) return;
  const child = spawn(node, [CONSOLE_BUILDER], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let problems = '';
  child.stderr.on('data', (text) => {
    problems += text;
  });
  child.on('error', (error) => process.stderr.write(`baobab: the console cannot be built: ${error.message}\n`));
  child.on('exit', (code) => {
    if (code !== null && code !== 0) process.stderr.write(`baobab: the console cannot be built:\n${problems}`);
  });
  process.on('exit', () => child.kill());
}

const EXAMPLES = ['shopping-lists', 'task-board'];
const VITE = join(BIN, 'vite');
/** Tests set another value, which would select React's development build. */
const PRODUCTION = { NODE_ENV: 'production' };

function buildExamples(node) {
  for (const example of EXAMPLES) {
    const root = join(ROOT, 'examples', example);
    const files = ['index.html', 'vite.config.ts', 'tsconfig.json'].map((name) => join(root, name));
    const folders = [join(root, 'src'), join(ROOT, 'packages/client/src')];
    if (isCurrent(join(root, 'dist/site/index.html'), files, folders)) continue;
    step(`building the example ${example}`, 'a few seconds', () =>
      run(node, [VITE, 'build', root, '--logLevel', 'error'], { node, quiet: true, variables: PRODUCTION }),
    );
  }
}

/** Prepares a server for an example (by default the first), or serves it to a browser during development. */
function runExample(node, rest) {
  const [name, task, ...options] = EXAMPLES.includes(rest[0]) ? rest : [EXAMPLES[0], ...rest];
  const root = join(ROOT, 'examples', name);
  if (task === undefined) become(node, [VITE, root]);
  else if (task === 'set-up') become(node, [...TYPESCRIPT, '--conditions=source', join(root, 'set-up.ts'), ...options]);
  else fail(`unknown task "${task}" of the example; there is set-up. Examples: ${EXAMPLES.join(', ')}`);
}

/** Packs the client for apps outside of this clone, in a file whose name is the same in every version. */
function packClient(node) {
  const folder = join(ROOT, 'release');
  const packed = join(folder, 'baobab-client.tgz');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/client/package.json'), 'utf8'));
  step('packing the client', 'a few seconds', () => {
    mkdirSync(folder, { recursive: true });
    npm(['pack', '--workspace=packages/client', `--pack-destination=${folder}`], node);
    renameSync(join(folder, `baobab-client-${version}.tgz`), packed);
  });
  process.stdout.write(`Run this in your project:\n  npm install ${packed}\n`);
}

/** Builds the pages of `docs` as a site. It has separate dependencies, because a server needs none of them. */
function buildGuide(node) {
  const site = join(ROOT, 'docs/.vitepress');
  const builder = join(site, 'node_modules/vitepress/bin/vitepress.js');
  if (!existsSync(builder))
    step('installing the site generator', 'up to a minute', () => npm(['ci', '--prefix', site, '--no-audit'], node));
  step('building the guide', 'half a minute', () =>
    run(node, [builder, 'build', join(ROOT, 'docs')], { node, quiet: true }),
  );
}

/** Adopts the program's output, signals and exit code. */
function become(node, args) {
  const child = spawn(node, args, {
    cwd: process.env.INIT_CWD ?? ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
  });
  // A terminal sends Ctrl-C to the whole group; other senders signal only this process.
  const forwarded = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM', 'SIGHUP', 'SIGINT'];
  // Each signal once: a sender that signals the whole group has also reached the program, and may repeat the signal.
  const relayed = new Set();
  for (const signal of forwarded)
    process.on(signal, () => {
      if (!relayed.has(signal)) child.kill(signal);
      relayed.add(signal);
    });
  if (process.stdin.isTTY) process.on('SIGINT', () => undefined);
  child.on('error', (error) => fail(error.message));
  // A program that receives a stop signal before it installs handlers is killed by it.
  const ended = (code, signal) => (signal ? (signal === 'SIGTERM' && relayed.has(signal) ? 0 : 1) : (code ?? 1));
  child.on('exit', (code, signal) => process.exit(ended(code, signal)));
  process.on('exit', () => child.kill());
}

/** Scripts that `prove` runs. */
const PROOFS = ['crash', 'power', 'fault', 'soak', 'scale'];

const [, , task = 'start', ...rest] = process.argv;
const node = alone(() => {
  const found = findNode(task);
  install(found, task);
  return found;
});
const bin = (name) => join(BIN, name);
const TESTS = join(ROOT, 'tests/run.ts');
const vitest = (args) => {
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs');
  become(node, [program, 'run', '--config', join(ROOT, 'tests/vitest.config.ts'), ...args]);
};

function buildForTests(node) {
  build(node);
  buildConsole(node);
  buildExamples(node);
}

/** Longer random runs than those of every day. */
const LONG_RUNS = { MODEL_ROUNDS: '20', OFFLINE_ROUNDS: '1000', EXPAND_REQUESTS: '5000', RUNS: '500' };

/** Runs every test there is. Each task prints why it fails, and the others still run. */
function testAll(node) {
  const tasks = [['test', '--coverage'], ['test:guide'], ['test:image']];
  if (existsSync(CITUS_SCRIPT)) tasks.push(['test:citus']);
  else process.stderr.write('baobab: test:citus is left out, because CITUS_SCRIPT names no script\n');
  const self = fileURLToPath(import.meta.url);
  const failed = tasks.filter(
    (args) =>
      spawnSync(node, [self, ...args], { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...LONG_RUNS } })
        .status !== 0,
  );
  if (failed.length > 0) fail(`failed: ${failed.map(([name]) => name).join(', ')}`);
}

/** `<script> run <command>` runs a command with a cluster, whose coordinator is then in DATABASE_URL. */
const CITUS_SCRIPT = process.env.CITUS_SCRIPT ?? join(ROOT, '../shared/engines/citus.sh');
const CITUS_SUITES = [
  'contracts/storage',
  'contracts/archive',
  'tests/citus/',
  'flows/citus',
  'http/authorization-model',
  'http/documents',
  'http/document-',
  'http/batch',
  'http/changes',
];
/** Number of times a worker is killed. */
const CITUS_KILLS = process.env.CITUS_KILLS ?? '3';

/** Runs suites on a cluster. By default, runs all of them, and then kills workers of another cluster. */
function testCitus(node, script, names) {
  const program = [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    join(ROOT, 'tests/vitest.config.ts'),
  ];
  const command = 'TEST_CITUS_URL=$DATABASE_URL exec "$@"';
  const isWhole = names.every((name) => name.startsWith('-'));
  const suites = isWhole ? [...CITUS_SUITES, ...names] : names;
  run('bash', [script, 'run', 'sh', '-c', command, 'sh', node, ...program, ...suites], { node });
  if (!isWhole) return;
  const kills = [join(ROOT, 'bench/prove/crash.ts'), '--on=citus', `--worker=${CITUS_KILLS}`];
  run(node, kills, { node, variables: { CITUS_SCRIPT: script } });
}

switch (task) {
  case 'start':
    build(node);
    buildConsoleMeanwhile(node);
    become(node, [join(ROOT, 'packages/server/dist/main.js'), ...rest]);
    break;
  case 'install': // done above
    break;
  case 'build':
    build(node, { clean: true });
    buildConsole(node, { clean: true });
    break;
  case 'build-changed':
    build(node);
    break;
  case 'build-console':
    buildConsole(node);
    break;
  case 'build-examples':
    buildExamples(node);
    break;
  case 'lint':
    become(node, [TESTS, 'lint']);
    break;
  case 'fix':
    run(bin('biome'), ['check', '--write', '.'], { node });
    break;
  case 'test':
    if (rest[0] !== 'quick' && rest[0] !== 'last') buildForTests(node);
    become(node, [TESTS, ...rest]);
    break;
  case 'test:all':
    buildForTests(node);
    testAll(node);
    break;
  case 'baobab':
    build(node);
    become(node, [join(ROOT, 'packages/server/dist/cli.js'), ...rest]);
    break;
  case 'example':
    runExample(node, rest);
    break;
  case 'test:s3': {
    const [url, ...options] = rest;
    if (!url?.startsWith('s3://'))
      fail("the bucket is missing: npm run test:s3 -- 's3://bucket?endpoint=https://host'");
    process.env.TEST_S3_URL = url;
    build(node);
    vitest(['contracts/blobs', 'contracts/s3-', ...options]);
    break;
  }
  case 'test:citus': {
    const isScript = rest[0]?.endsWith('.sh') === true;
    const script = resolve(isScript ? rest[0] : CITUS_SCRIPT);
    if (!existsSync(script))
      fail(`there is no ${script}; name the script that starts a cluster: npm run test:citus -- PATH/citus.sh`);
    build(node);
    testCitus(node, script, isScript ? rest.slice(1) : rest);
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
  case 'prove': {
    const [name = '', ...options] = rest;
    const program = join(ROOT, 'bench/prove', `${name}.ts`);
    if (!PROOFS.includes(name)) fail(`there is no proof "${name}"; there are ${PROOFS.join(', ')}`);
    build(node);
    become(node, [program, ...options]);
    break;
  }
  case 'pack:client':
    alone(() => packClient(node));
    break;
  case 'release':
    become(node, [join(ROOT, 'scripts/release.mjs'), ...rest]);
    break;
  case 'newcomer':
    become(node, [join(ROOT, 'tests/newcomer.ts')]);
    break;
  case 'test:image':
    become(node, [join(ROOT, 'tests/image.ts'), ...rest]);
    break;
  case 'docs':
    buildGuide(node);
    break;
  case 'test:guide':
    build(node);
    buildGuide(node);
    process.env.TEST_GUIDE = 'on';
    vitest(rest);
    break;
  case 'openapi':
    become(node, ['--conditions=source', join(ROOT, 'tests/openapi/write.ts')]);
    break;
  default:
    fail(
      `unknown task "${task}"; there are start, baobab, example, install, build, lint, fix, test, bench, prove, newcomer, docs and openapi`,
    );
}
