import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Failure } from './outcome.ts';
import type { Part } from './parts.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, '.cache/test-runs.jsonl');
const SHOWN = 10;
/** A file that is unstable in this many of the last ten runs turns a run red. */
const TOO_OFTEN = 3;

/** A test that failed, in a file that passed when it ran once more, alone. */
export interface Unstable extends Failure {
  readonly file: string;
}

interface Run {
  readonly part: Part;
  /** The closing line. */
  readonly result: string;
  readonly seconds: number;
  readonly slowness: number;
  /** Paths of the files that failed. */
  readonly failed: readonly string[];
  readonly unstable: readonly Unstable[];
}

interface RecordedRun extends Run {
  readonly date: string;
  readonly commit: string;
  /** Id of the tree with uncommitted changes of tracked files, as `git stash create` makes it. */
  readonly tree: string;
}

const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout.trim();

function readRuns(): RecordedRun[] {
  try {
    return readFileSync(FILE, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

/** Records a run. */
export function addRun(run: Run): void {
  const tree = git('rev-parse', `${git('stash', 'create') || 'HEAD'}^{tree}`);
  const recorded: RecordedRun = { date: new Date().toISOString(), commit: git('rev-parse', 'HEAD'), tree, ...run };
  mkdirSync(dirname(FILE), { recursive: true });
  appendFileSync(FILE, `${JSON.stringify(recorded)}\n`);
}

/** Returns the files that are unstable in this run and were so in at least two of the nine before it. */
export function oftenUnstable(unstable: readonly Unstable[]): string[] {
  const before = readRuns().slice(1 - SHOWN);
  return [...new Set(unstable.map(({ file }) => file))].filter(
    (file) => before.filter((run) => run.unstable.some((one) => one.file === file)).length + 1 >= TOO_OFTEN,
  );
}

/** Returns the last runs as lines of text. */
export function lastRuns(): string {
  const lines = readRuns()
    .slice(-SHOWN)
    .flatMap(({ date, commit, part, result, seconds, slowness, failed, unstable }) => [
      `${date.slice(0, 16)}  ${commit.slice(0, 8)}  ${part}  ${result}  ${seconds} s  slowness ${slowness}`,
      ...failed.map((file) => `  failed: ${file}`),
      ...unstable.map(({ file, test }) => `  unstable: ${file}, ${test}`),
    ]);
  return `${lines.join('\n') || 'No run is recorded'}\n`;
}
