import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Images } from '@baobab/core';
import type { Bare, Size } from './bare-images.ts';
import { median } from './compare.ts';
import type { ServerProcess } from './processes.ts';

export type Resizer = Images;

export interface Times {
  /** Median in milliseconds. */
  readonly adapter: number;
  readonly bare: number;
  /** 99th percentile of the event loop delay while the adapter was working, in milliseconds. */
  readonly loopDelay: number;
}

export interface TimesOptions {
  readonly adapter: Resizer;
  readonly bare: Bare;
  readonly bytes: Uint8Array;
  readonly size: Size;
  readonly rounds: number;
}

const LOOP_RESOLUTION_MS = 2;
const LOOP_JOBS = 6;

async function taken(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Measures durations with one image at a time, and the event loop with two at a time. */
export async function timesOf({ adapter, bare, bytes, size, rounds }: TimesOptions): Promise<Times> {
  const resize = () => adapter.resize(Uint8Array.from(bytes), size);
  await resize();
  await bare(bytes);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await taken(() => bare(bytes)));
    ours.push(await taken(resize));
  }
  const copies = Array.from({ length: 2 * LOOP_JOBS }, () => Uint8Array.from(bytes));
  const histogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  histogram.enable();
  const lane = async () => {
    for (let copy = copies.pop(); copy !== undefined; copy = copies.pop()) await adapter.resize(copy, size);
  };
  await Promise.all([lane(), lane()]);
  histogram.disable();
  return { adapter: median(ours), bare: median(theirs), loopDelay: histogram.percentile(99) / 1e6 };
}

export interface Crowd {
  readonly made: number;
  readonly refused: number;
  readonly other: number;
  readonly ms: number;
  /** Resident memory of the server. */
  readonly beforeMb: number;
  readonly peakMb: number;
  /** Number of small sequential requests sent meanwhile. */
  readonly probes: number;
  readonly slowestMs: number;
}

const PROBE_PAUSE_MS = 5;

function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? Number.NaN) / 1024;
}

/** Sends many concurrent requests and observes the server meanwhile. */
export async function atOnce(
  { url, pid }: ServerProcess,
  count: number,
  pathOf: (i: number) => string,
  headers: Readonly<Record<string, string>>,
): Promise<Crowd> {
  const beforeMb = residentMb(pid);
  let [peakMb, slowestMs, probes, isDone] = [beforeMb, 0, 0, false];
  const probing = (async () => {
    while (!isDone) {
      const time = await taken(async () => (await fetch(`${url}/health/live`)).text());
      slowestMs = Math.max(slowestMs, time);
      peakMb = Math.max(peakMb, residentMb(pid));
      probes++;
      await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
    }
  })();
  const statuses: number[] = [];
  const ms = await taken(() =>
    Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const response = await fetch(url + pathOf(i), { headers });
        await response.arrayBuffer();
        statuses.push(response.status);
      }),
    ),
  );
  isDone = true;
  await probing;
  const made = statuses.filter((status) => status === 200).length;
  const refused = statuses.filter((status) => status === 503).length;
  return { made, refused, other: count - made - refused, ms, beforeMb, peakMb, probes, slowestMs };
}
