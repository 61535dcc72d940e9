import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runCommand } from './command.ts';
import { median } from './compare.ts';
import type { Database } from './databases.ts';
import { sendOnce } from './load.ts';
import { percentile, type Sample, startOpenLoop } from './open-loop.ts';
import { watchOthers } from './others.ts';
import { startService } from './processes.ts';
import { fillShelf } from './shelf.ts';

export interface BackupPlan {
  readonly documents: number;
  readonly owners: number;
  readonly files: number;
  readonly fileBytes: number;
  readonly writesPerSecond: number;
  readonly rounds: number;
  readonly warmUpMs: number;
  /**
   * Length of the windows without a backup, in milliseconds. Close to the duration of a backup, so that periodic work
   * of the database occurs in both.
   */
  readonly windowMs: number;
  /** Length of the window after a backup in which its effects are measured, in milliseconds. */
  readonly afterMs: number;
}

/** Medians over the windows, in milliseconds. */
interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  /** Number of counted windows. */
  readonly windows: number;
}

export interface BackupFigures {
  readonly without: Percentiles;
  readonly during: Percentiles;
  /** Percentiles of the time right after a backup. */
  readonly after: Percentiles;
  /** Medians of a backup's duration and results. */
  readonly seconds: number;
  readonly bytes: number;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Fills a store: a user with files, in a database with many documents. */
async function fillStore(url: string, { files, fileBytes, ...size }: BackupPlan, env: Record<string, string>) {
  const service = await startService(env);
  try {
    const headers = { 'x-service-appcode': env.APP_CODE ?? '', 'content-type': 'application/json' };
    const enter = async (path: string, username: string) => {
      const body = JSON.stringify({ username, password: 'bench' });
      const answer = await sendOnce(service.url, { method: 'POST', path, headers, body });
      return (JSON.parse(answer) as { data: { id: string; 'X-BB-SESSION': string } }).data;
    };
    const admin = { 'x-bb-session': (await enter('/login', 'admin'))['X-BB-SESSION'] };
    await sendOnce(service.url, { method: 'POST', path: '/admin/collection/posts', headers: admin });
    const owner = await enter('/user', 'owner');
    await fillShelf(url, size, owner.id);
    const token = owner['X-BB-SESSION'];
    for (let i = 0; i < files; i++) {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(fileBytes).map((_, at) => (at * 31 + i) & 255)]), `${i}.bin`);
      const sent = await fetch(`${service.url}/file`, {
        method: 'POST',
        headers: { 'x-bb-session': token },
        body: form,
      });
      if (sent.status !== 201) throw new Error(`a file was answered with ${sent.status}`);
    }
    return token;
  } finally {
    await service.stop();
  }
}

/** Start and end of a window, and the number of cores used by unrelated programs during it. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly others: number;
}

interface Round {
  readonly archive: string;
  readonly without: Window;
  readonly during: Window;
  readonly after: Window;
}

/** Windows in which unrelated programs used more than this share of a core are discarded. */
const MOST_OTHERS = 0.1;
const LEAST_WINDOWS = 2;
/** A backup must last at least this fraction of a window (1/4); a shorter one is not measurable. */
const LEAST_SHARE = 4;

/** Runs the rounds. One load runs throughout; the windows of a round are consecutive. */
async function runRounds(home: string, env: Record<string, string>, plan: BackupPlan): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const others = watchOthers();
    const begun = performance.now();
    await pause(plan.windowMs);
    const without = { from: begun, to: performance.now(), others: others() };
    // A separate file each time: deleting an archive would disturb the next window.
    const archive = join(home, `${round}.tar`);
    const { from, to, seconds } = await runCommand(['backup', '--to', archive], env);
    if (to - from < plan.windowMs / LEAST_SHARE)
      throw new Error(`the backup took only ${seconds.toFixed(1)} s: nothing was measured`);
    const during = { from, to, others: others() };
    await pause(plan.afterMs);
    rounds.push({ archive, without, during, after: { from: to, to: to + plan.afterMs, others: others() } });
  }
  return rounds;
}

/**
 * Restores an archive into an empty store, which verifies all its checksums.
 *
 * @throws if a file or a document confirmed before the start of the backup is missing, or if there are more documents
 * than were sent by its end
 */
async function verify({ archive, during }: Round, home: string, samples: readonly Sample[], plan: BackupPlan) {
  const target = { DATABASE_URL: `sqlite:${archive}.db`, BLOB_URL: `file:${archive}.blobs`, DATA_DIR: home };
  await runCommand(['restore', '--from', archive], target);
  const database = new DatabaseSync(`${archive}.db`, { readOnly: true });
  const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.n);
  const [documents, files] = [count('documents'), count('files')];
  database.close();
  const least = plan.documents + samples.filter(({ due, taken }) => due + taken < during.from).length;
  const most = plan.documents + samples.filter(({ due }) => due < during.to).length;
  if (documents < least || documents > most || files !== plan.files) {
    throw new Error(`${archive} holds ${documents} documents, not ${least} to ${most}, and ${files} files`);
  }
}

/**
 * Measures how much backups slow down concurrent writes, in alternating windows without and with a backup.
 *
 * @throws if a backup or a write fails, or the content of an archive is wrong
 */
export async function measureBackups(
  { name, url }: Pick<Database, 'name' | 'url'>,
  folder: string,
  access: Readonly<Record<string, string>>,
  plan: BackupPlan,
  progress: (line: string) => void,
): Promise<BackupFigures> {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const env = { ...access, DATABASE_URL: url, BLOB_URL: `file:${join(home, 'blobs')}`, DATA_DIR: home };
  progress(`${name}: creating a database`);
  const token = await fillStore(url, plan, env);
  const service = await startService(env);
  const headers = { 'x-bb-session': token, 'content-type': 'application/json' };
  const body = JSON.stringify({ text: 'written meanwhile '.repeat(20) });
  const write = { method: 'POST', path: '/document/posts', headers, body } as const;
  const load = startOpenLoop(service.url, write, plan.writesPerSecond);
  let rounds: Round[];
  let samples: readonly Sample[];
  try {
    progress(`${name}: ${plan.rounds} rounds`);
    await pause(plan.warmUpMs);
    rounds = await runRounds(home, env, plan);
  } finally {
    samples = await load.stop().finally(() => service.stop());
  }

  const percentiles = (which: 'without' | 'during' | 'after') => {
    const windows = rounds.map((round) => round[which]);
    const of = (share: number, { from, to }: Window) => percentile(samples, share, from, to);
    const each = windows.map((window) => `${of(0.99, window).toFixed(2)} ms (others ${window.others.toFixed(2)})`);
    progress(`${name}: p99 ${which}: ${each.join(', ')}`);
    const quiet = windows.filter(({ others }) => others <= MOST_OTHERS);
    if (quiet.length < LEAST_WINDOWS)
      throw new Error(`the machine was busy: only ${quiet.length} windows ${which} a backup were quiet enough`);
    const medianOf = (share: number) => median(quiet.map((window) => of(share, window)));
    return { p50: medianOf(0.5), p99: medianOf(0.99), windows: quiet.length };
  };
  const figures = {
    without: percentiles('without'),
    during: percentiles('during'),
    after: percentiles('after'),
  };
  for (const round of rounds) await verify(round, home, samples, plan);
  progress(`${name}: ${rounds.length} archives verified and restored`);
  return {
    ...figures,
    seconds: median(rounds.map(({ during: { from, to } }) => (to - from) / 1_000)),
    bytes: median(rounds.map(({ archive }) => statSync(archive).size)),
  };
}
