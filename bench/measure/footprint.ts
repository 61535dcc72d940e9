import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../tests/support/ports.ts';
import { median } from './compare.ts';
import { load } from './load.ts';
import { startService, stopChild, untilServing } from './processes.ts';
import type { Scenario } from './scenarios.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STARTS = 5;
const IDLE_MS = 5_000;

async function inNewFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the milliseconds from `npm start` in a built tree, on a new SQLite database, until the server is ready. */
export async function startTime(): Promise<number> {
  const once = () =>
    inNewFolder(async (folder) => {
      const port = String(await freePort());
      const begin = performance.now();
      const env = { ...process.env, PORT: port, HOST: '127.0.0.1', DATA_DIR: folder, DATABASE_URL: '' };
      const child = spawn('npm', ['start'], { cwd: ROOT, env, stdio: 'ignore' });
      await untilServing(`http://127.0.0.1:${port}/health/ready`, child);
      const taken = performance.now() - begin;
      await stopChild(child);
      return taken;
    });
  const taken: number[] = [];
  for (let i = 0; i < STARTS; i++) taken.push(await once());
  return median(taken);
}

/** Returns the resident memory when idle on SQLite, in megabytes; null if the system does not report it. */
export function idleMemory(): Promise<number | null> {
  return inNewFolder(async (folder) => {
    const service = await startService({ DATA_DIR: folder, DATABASE_URL: '' });
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const status = `/proc/${service.pid}/status`;
    const kilobytes = existsSync(status) ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
    await service.stop();
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  });
}

/** Throughput in the first and last third of a long run at full load. */
export interface Saturation {
  readonly seconds: number;
  readonly first: number;
  readonly last: number;
}

export async function saturate(service: string, scenario: Scenario, seconds: number): Promise<Saturation> {
  const third = async () => (await load(service, scenario.service, seconds / 3)).perSecond;
  const thirds = [await third(), await third(), await third()] as const;
  return { seconds, first: thirds[0], last: thirds[2] };
}
