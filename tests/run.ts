// `npm test`: checks everything that needs no servers first, all in one listing, then behaviour. Files that failed run
// once more, alone: what passes then depends on the machine or on other tests, and is listed as unstable.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closingLine, failedFiles, type Outcome } from './support/outcome.ts';
import { isPackaging, PACKAGING, type Part } from './support/parts.ts';
import { addRun, lastRuns, oftenUnstable, type Unstable } from './support/record.ts';
import { measureSlowness } from './support/slowness.ts';

const ROOT = join(import.meta.dirname, '..');
const VITEST = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', join(ROOT, 'tests/vitest.config.ts')];
const SPELLING = ['lint', '--no-progress', '--no-summary', '--cache', '--cache-location', '.cache/cspell'];
const [task, ...rest] = process.argv.slice(2);
/** Tests in a clone of a developer fix what the formatter can fix. */
const FORMAT = process.env.CI === undefined && task !== 'lint' ? ['check', '--write', '.'] : ['check', '.'];
const CHECKS = [['cspell', ...SPELLING], ['biome', ...FORMAT], ['knip'], ['tsc', '-b']] as const;
/** More failing files than this are a fault, not chance. */
const MAX_REPEATED = 8;

const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exitCode = 1;
  });
}

/** Runs a program and resolves to its exit code and, unless it is shown at once, its output. */
async function run(command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}, isShown = false) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...variables },
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
  });
  running.add(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const status = await new Promise<number | string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  running.delete(child);
  return { status, output: Buffer.concat(output) };
}

const folder = mkdtempSync(join(tmpdir(), 'baobab-run-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let runs = 0;

/** Runs tests. @param part absent for the named files */
async function test(
  args: readonly string[],
  part?: Part,
  isShown = true,
): Promise<{ outcome: Outcome; output: Buffer }> {
  const file = join(folder, String(runs++));
  const variables = { TEST_OUTCOME: file, TEST_PART: part };
  const { output, status } = await run(process.execPath, [...VITEST, ...args], variables, isShown);
  try {
    return { outcome: JSON.parse(readFileSync(file, 'utf8')), output };
  } catch {
    return {
      outcome: { '': { passed: 0, failures: [{ test: 'vitest', error: `it ended early (${status})` }] } },
      output,
    };
  }
}

/** Runs linters, the compiler and static tests. Prints what they found. Resolves to the commands that failed. */
async function check(hasTests: boolean): Promise<{ failed: string[]; outcome: Outcome }> {
  const failed: string[] = [];
  const one = async ([name, ...args]: readonly [string, ...string[]]) => {
    const { status, output } = await run(join(ROOT, 'node_modules/.bin', name), args);
    process.stderr.write(output);
    if (status !== 0) failed.push(`"${[name, ...args].join(' ')}" failed (${status})`);
  };
  const tests = async () => {
    const { outcome, output } = hasTests ? await test([], 'static', false) : { outcome: {}, output: '' };
    if (failedFiles(outcome).length > 0) process.stderr.write(output);
    return outcome;
  };
  const [outcome] = await Promise.all([tests(), ...CHECKS.map(one)]);
  return { failed, outcome };
}

/** Returns true if the current change touches what is packaged. */
function changesPackaging(): boolean {
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
  const base = git('merge-base', 'HEAD', 'origin/main') || 'HEAD~1';
  return git('diff', '--name-only', base).split('\n').some(isPackaging);
}

/** Repeats the files that failed. Resolves to the outcome with theirs replaced, and to what passed this time. */
async function secondChance(first: Outcome): Promise<{ outcome: Outcome; unstable: Unstable[] }> {
  const files = failedFiles(first);
  if (files.length === 0 || files.length > MAX_REPEATED || files.includes('')) return { outcome: first, unstable: [] };
  process.stdout.write(`\nSecond run, one after another: ${files.join(', ')}\n`);
  const { outcome: second } = await test([...files, '--no-file-parallelism', '--isolate']);
  const unstable = files.flatMap((file) =>
    second[file]?.failures.length === 0 ? (first[file]?.failures ?? []).map((failure) => ({ file, ...failure })) : [],
  );
  return { outcome: { ...first, ...second }, unstable };
}

async function everything(part: Part, args: readonly string[]): Promise<void> {
  const began = performance.now();
  const { failed, outcome: checked } = await check(part !== 'quick');
  let outcome = checked;
  let unstable: Unstable[] = [];
  if (failed.length === 0 && failedFiles(checked).length === 0) {
    const first = await test(args, part);
    const again = part === 'quick' ? { outcome: first.outcome, unstable } : await secondChance(first.outcome);
    outcome = { ...checked, ...again.outcome };
    unstable = again.unstable;
    if (part === 'everyday' && changesPackaging()) outcome = { ...outcome, ...(await test(PACKAGING)).outcome };
  }
  for (const { file, test, error } of unstable) process.stdout.write(`unstable: ${file}, ${test}: ${error}\n`);
  for (const file of oftenUnstable(unstable)) {
    failed.push(`${file} was unstable in three of ten runs`);
  }
  for (const line of failed) process.stderr.write(`baobab: ${line}\n`);
  const ended = failed.length === 0 ? outcome : { ...outcome, '': { passed: 0, failures: failed.map(asFailure) } };
  addRun({
    part,
    result: closingLine(ended),
    seconds: Math.round((performance.now() - began) / 1000),
    slowness: Number(process.env.TEST_SLOWNESS),
    failed: failedFiles(ended),
    unstable,
  });
  process.stdout.write(`${closingLine(ended)}\n`);
  process.exitCode = failedFiles(ended).length === 0 ? 0 : 1;
}

const asFailure = (error: string) => ({ test: 'check', error });

/** Runs linters and the compiler. Ends this process if they find something. */
async function lint(): Promise<void> {
  const { failed } = await check(false);
  for (const line of failed) process.stderr.write(`baobab: ${line}\n`);
  if (failed.length > 0) process.exit(1);
}

/** Lints, and runs the named files. */
async function named(args: readonly string[]): Promise<void> {
  await lint();
  const { outcome } = await test(args);
  process.stdout.write(`${closingLine(outcome)}\n`);
  process.exitCode = failedFiles(outcome).length === 0 ? 0 : 1;
}

process.env.TEST_SLOWNESS = String(measureSlowness());
if (task === 'last') process.stdout.write(lastRuns());
else if (task === 'lint') await lint();
else if (task === 'quick') await everything('quick', rest);
else if (task === undefined) await everything('everyday', []);
else if (task === '--coverage') await everything('thorough', ['--coverage', ...rest]);
else await named(process.argv.slice(2));
