import { type Load, load, sendOnce } from './load.ts';
import { watchOthers } from './others.ts';
import type { Scenario } from './scenarios.ts';

/** A round in which other programs used more than this many cores is repeated. */
export const TOLERATED = 0.1;
/** Maximum number of repeats per scenario. Later disturbed rounds count and are reported. */
const REPEATS = 15;
/** Pause before a repeat, because disturbances often last for a while. Milliseconds. */
const PAUSE_MS = 3_000;

export interface Plan {
  readonly rounds: number;
  /** Duration of each load. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** The two running servers to compare. */
export interface Pair {
  readonly service: string;
  readonly bare: string;
  close(): Promise<void>;
}

export interface Comparison {
  readonly service: Load;
  readonly bare: Load;
  /** Median of the ratios of all rounds. */
  readonly ratio: number;
  /** Number of repeated rounds, and of disturbed rounds that were counted anyway. */
  readonly repeated: number;
  readonly disturbed: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

const medianLoad = (loads: readonly Load[]): Load => ({
  perSecond: median(loads.map(({ perSecond }) => perSecond)),
  p50: median(loads.map(({ p50 }) => p50)),
  p99: median(loads.map(({ p99 }) => p99)),
});

/** Returns the part of `text` around its first difference from `other`. */
function difference(text: string, other: string): string {
  const at = Array.from(text).findIndex((char, i) => char !== other[i]);
  return `…${text.slice(Math.max(0, at - 40), at + 80)}…`;
}

/** @throws if the responses differ, because the servers then do different work */
async function assertSameAnswer(scenario: Scenario, service: string, bare: string): Promise<void> {
  const [mine] = scenario.service;
  const [theirs] = scenario.bare;
  if (mine === undefined || theirs === undefined) throw new Error(`${scenario.name} sends nothing`);
  const [expected, actual] = await Promise.all([sendOnce(service, mine), sendOnce(bare, theirs)]);
  const isSame = scenario.sameAnswer ? expected === actual : expected.length === actual.length;
  if (!isSame)
    throw new Error(
      `${scenario.name}: different answers\nservice: ${difference(expected, actual)}\nbare: ${difference(actual, expected)}`,
    );
}

interface Round {
  readonly mine: Load;
  readonly theirs: Load;
  readonly isQuiet: boolean;
}

async function measureRound(scenario: Scenario, pair: Pair, plan: Plan, isServiceFirst: boolean): Promise<Round> {
  await assertSameAnswer(scenario, pair.service, pair.bare);
  const loadService = (seconds: number) => load(pair.service, scenario.service, seconds);
  const loadBare = (seconds: number) => load(pair.bare, scenario.bare, seconds);
  await loadService(plan.warmUpSeconds);
  await loadBare(plan.warmUpSeconds);
  const others = watchOthers();
  others();
  const before = isServiceFirst ? null : await loadBare(plan.seconds);
  const mine = await loadService(plan.seconds);
  const theirs = before ?? (await loadBare(plan.seconds));
  return { mine, theirs, isQuiet: others() <= TOLERATED };
}

/**
 * Measures both servers alternately and swaps their order every round, so that disturbances of the machine affect both.
 *
 * @param open starts both servers, again for each round, because one process of a program may be a tenth faster than
 * another for its whole life
 */
export async function compare(scenario: Scenario, open: () => Promise<Pair>, plan: Plan): Promise<Comparison> {
  const services: Load[] = [];
  const bares: Load[] = [];
  let [repeated, disturbed] = [0, 0];
  while (services.length < plan.rounds) {
    const pair = await open();
    const isServiceFirst = services.length % 2 === 0;
    const round = await measureRound(scenario, pair, plan, isServiceFirst).finally(() => pair.close());
    if (!round.isQuiet && repeated < REPEATS) {
      repeated++;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    if (!round.isQuiet) disturbed++;
    services.push(round.mine);
    bares.push(round.theirs);
  }
  const ratios = services.map(({ perSecond }, i) => perSecond / (bares[i]?.perSecond ?? Number.NaN));
  return { service: medianLoad(services), bare: medianLoad(bares), ratio: median(ratios), repeated, disturbed };
}
