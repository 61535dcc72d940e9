// Builds the image of the Dockerfile without a container engine, and starts it: Debian by debootstrap stands in for the
// base image, a copy of a folder for each stage, and chroot for each step. Needs root, debootstrap and Debian's mirror;
// takes some two minutes, so it is a command of its own. What an engine adds is not tested: layers, digests, limits.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PATIENCE_MS, pause } from './support/patience.ts';
import { freePort } from './support/ports.ts';

const ROOT = join(import.meta.dirname, '..');
/** A folder that debootstrap has filled, to save its time; optional. */
const [DEBIAN] = process.argv.slice(2);
/** The user `node` of the official images. */
const NODE_USER = 1000;

interface Stage {
  readonly folder: string;
  workdir: string;
  user: string;
  readonly env: Record<string, string>;
  readonly command: Record<string, readonly string[]>;
}

const began = performance.now();
const report = (what: string) =>
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);

const call = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 28 });

/** Options of a build on a network with a proxy. */
const NETWORK = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
    const value = process.env[name] ?? process.env[name.toLowerCase()];
    return value === undefined ? [] : [[name, value] as const];
  }),
);

/** `key=value` pairs of a step. */
const pairsOf = (text: string) =>
  Object.fromEntries(text.split(' ').map((pair) => pair.split('=', 2) as [string, string]));

/** The program and its arguments to run a command inside a stage. */
function inside(stage: Stage, command: readonly string[], env: Readonly<Record<string, string>> = {}): string[] {
  const variables = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', ...stage.env, ...env };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  // In a mount namespace of its own, so that nothing stays mounted.
  const mount = 'mount -t proc proc "$0/proc" && exec chroot "$@"';
  const enter = ['unshare', '--mount', 'sh', '-c', mount, stage.folder, `--userspec=${stage.user}`, stage.folder];
  return [...enter, '/usr/bin/env', '-i', `--chdir=${stage.workdir}`, ...assignments, ...command];
}

/** A Debian with the Node of this process, an npm, and the user `node`. */
function makeBase(folder: string): Stage {
  report('Debian');
  if (DEBIAN === undefined) call('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', folder]);
  else call('cp', ['-a', DEBIAN, folder]);
  const { NODE_EXTRA_CA_CERTS: authorities } = NETWORK;
  if (authorities !== undefined) cpSync(authorities, join(folder, authorities));
  report('Node and npm');
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'));
  call('npm', ['install', '--global', '--prefix', join(folder, 'usr/local'), '--no-audit', '--no-fund', 'npm@11']);
  const base: Stage = { folder, workdir: '/', user: '0:0', env: {}, command: {} };
  const [program = '', ...args] = inside(base, ['/usr/sbin/useradd', '-m', '-u', String(NODE_USER), 'node']);
  call(program, args);
  return base;
}

function copyInto(stage: Stage, from: string, sources: readonly string[], to: string): void {
  const target = join(stage.folder, stage.workdir, to);
  if (sources.length === 1 && sources[0] === '.') {
    mkdirSync(target, { recursive: true });
    call('sh', ['-c', `git archive HEAD | tar -x -C '${target}'`]);
    return;
  }
  for (const source of sources) {
    const path = join(from, source);
    const isFolder = to.endsWith('/') || to === './';
    mkdirSync(isFolder ? target : dirname(target), { recursive: true });
    cpSync(path, isFolder ? join(target, source.slice(source.lastIndexOf('/') + 1)) : target, { recursive: true });
  }
}

/** Instructions that only describe the image, and those that an engine carries out when it starts one. */
const DESCRIBING: readonly string[] = ['VOLUME', 'EXPOSE', 'HEALTHCHECK'];

type Step = (stage: Stage, text: string, stages: ReadonlyMap<string, Stage>) => void;

const STEPS: Readonly<Record<string, Step>> = {
  WORKDIR(stage, path) {
    stage.workdir = path;
    mkdirSync(join(stage.folder, path), { recursive: true });
  },
  COPY(stage, text, stages) {
    const words = text.split(' ');
    const [, from] = /^--from=(\w+)$/.exec(words[0] ?? '') ?? [];
    const [sources, to = ''] = [words.slice(from === undefined ? 0 : 1, -1), words.at(-1)];
    copyInto(stage, from === undefined ? ROOT : (stages.get(from)?.folder ?? ''), sources, to);
  },
  RUN(stage, command) {
    const [program = '', ...args] = inside(stage, ['sh', '-c', command], NETWORK);
    call(program, args);
  },
  ENV(stage, text) {
    Object.assign(stage.env, pairsOf(text));
  },
  USER(stage, user) {
    stage.user = user;
  },
  ENTRYPOINT(stage, words) {
    stage.command.ENTRYPOINT = JSON.parse(words);
  },
  CMD(stage, words) {
    stage.command.CMD = JSON.parse(words);
  },
};

/** Runs the Dockerfile, and returns its last stage. */
function build(work: string): Stage {
  const steps = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const stages = new Map<string, Stage>();
  const base = makeBase(join(work, 'base'));
  let stage = base;
  for (const step of steps) {
    report(step);
    const [instruction = '', text = ''] = step.split(/\s+(.*)/);
    if (instruction === 'FROM') {
      const [from = '', , name = 'last'] = text.split(' ');
      const parent = stages.get(from) ?? base;
      stage = { ...parent, folder: join(work, name), env: { ...parent.env }, command: {} };
      call('cp', ['-a', parent.folder, stage.folder]);
      stages.set(name, stage);
    } else if (STEPS[instruction] !== undefined) STEPS[instruction](stage, text, stages);
    else if (!DESCRIBING.includes(instruction)) throw new Error(`unknown instruction: ${step}`);
  }
  return stage;
}

/** Starts the container's command until it is ready, stops it, and checks how it ended. */
async function start(stage: Stage): Promise<void> {
  const port = await freePort();
  const env = { PORT: String(port), HOST: '127.0.0.1', ADMIN_PASSWORD: 'image-password', LOG_LEVEL: 'warn' };
  const [program = '', ...args] = inside(
    stage,
    [...(stage.command.ENTRYPOINT ?? []), ...(stage.command.CMD ?? [])],
    env,
  );
  const child = spawn(program, args, { stdio: 'inherit' });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = `http://127.0.0.1:${port}/health/ready`;
  const deadline = Date.now() + PATIENCE_MS;
  for (let isReady = false; !isReady; ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('the image does not become ready');
    isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    await pause(100);
  }
  if (!existsSync(join(stage.folder, 'data/baobab.db'))) throw new Error('the image does not store its data in /data');
  report('ready');
  child.kill('SIGTERM');
  if ((await exit) !== 0) throw new Error('the image does not stop cleanly');
}

if (process.getuid?.() !== 0) throw new Error('chroot needs root');
const work = mkdtempSync(join(tmpdir(), 'baobab-image-'));
try {
  await start(build(work));
  report('the image builds, starts and stops');
} finally {
  rmSync(work, { recursive: true, force: true });
}
