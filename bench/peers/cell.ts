import { median } from '../measure/compare.ts';
import { loadAs } from '../measure/load.ts';
import { processorSeconds, watchOthers } from '../measure/others.ts';
import type { Job, Row, World } from './rows.ts';

export interface Plan {
  readonly rounds: number;
  /** Duration of each load. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Maximum number of repeats of a disturbed load per round. Later disturbed loads count and are marked. */
  readonly repeats: number;
}

/** A load during which other programs used more than this many cores is repeated. */
export const TOLERATED = 0.1;
const PAUSE_MS = 2_000;
/** Slower responses count as failures. */
const TIMEOUT_SECONDS = 30;

/** A load of one cell. */
interface Sample {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time per unit of work, in milliseconds; null if the system does not report it. */
  readonly cpu: number | null;
  readonly isDisturbed: boolean;
}

/** Results of one cell so far. */
export interface Cell {
  readonly samples: Sample[];
  repeated: number;
  /** Reason for the failure; null if there is none. */
  failure: string | null;
}

export interface Summary {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number | null;
  readonly disturbed: number;
}

async function sample({ instance }: World, job: Job, plan: Plan): Promise<Sample> {
  const { requests, connections, perUnit } = job;
  const others = watchOthers();
  others();
  const began = processorSeconds(instance.pids);
  const { url } = instance;
  const load = await loadAs({ url, requests, connections, seconds: plan.seconds, timeoutSeconds: TIMEOUT_SECONDS });
  const ended = processorSeconds(instance.pids);
  const perSecond = load.perSecond / perUnit;
  if (perSecond === 0) throw new Error(`nothing was answered within ${plan.seconds} s`);
  const units = perSecond * plan.seconds;
  const cpu = began === null || ended === null ? null : ((ended - began) * 1_000) / units;
  return { perSecond, p50: load.p50, p99: load.p99, cpu, isDisturbed: others() > TOLERATED };
}

/** Measures a create load. It counts only if all acknowledged documents are stored. */
async function sampleStored(world: World, job: Job, plan: Plan): Promise<Sample> {
  const before = await job.stored?.();
  const taken = await sample(world, job, plan);
  const after = await job.stored?.();
  if (before === undefined || after === undefined) return taken;
  const acknowledged = Math.floor(taken.perSecond * plan.seconds);
  if (after - before < acknowledged)
    throw new Error(`${acknowledged} documents were acknowledged and ${after - before} are stored`);
  return taken;
}

async function measure(row: Row, world: World, plan: Plan, cell: Cell): Promise<void> {
  const job = await row.prepare(world);
  if (job === null) return;
  const { requests, connections } = job;
  const { url } = world.instance;
  await loadAs({ url, requests, connections, seconds: plan.warmUpSeconds, timeoutSeconds: TIMEOUT_SECONDS });
  for (let repeats = 0; ; repeats++) {
    // Also waits until the server has finished work for the closed connections.
    await job.check();
    const taken = await sampleStored(world, job, plan);
    if (!taken.isDisturbed || repeats === plan.repeats) {
      cell.samples.push(taken);
      break;
    }
    cell.repeated++;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await job.check();
}

/** Measures one row on one running peer. A wrong or failed response fails the cell. */
export async function measureCell(row: Row, world: World, plan: Plan, cell: Cell): Promise<void> {
  if (cell.failure !== null) return;
  try {
    await measure(row, world, plan, cell);
  } catch (error) {
    cell.failure = error instanceof Error ? error.message : String(error);
  }
}

/** Returns the medians of the rounds; null if there are none or one has failed. */
export function summary({ samples, failure }: Cell): Summary | null {
  if (failure !== null || samples.length === 0) return null;
  const times = samples.map(({ cpu }) => cpu).filter((cpu) => cpu !== null);
  return {
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    p50: median(samples.map(({ p50 }) => p50)),
    p99: median(samples.map(({ p99 }) => p99)),
    cpu: times.length === 0 ? null : median(times),
    disturbed: samples.filter(({ isDisturbed }) => isDisturbed).length,
  };
}
