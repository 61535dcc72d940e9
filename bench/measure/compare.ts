import { type Load, load, sendOnce } from './load.ts';
import { watchOthers } from './others.ts';
import type { Scenario } from './scenarios.ts';

/** A round in which other programs used more than this many cores is repeated. */
export const TOLERATED = 0.1;
/** Limit on repeats for each scenario. Later disturbed rounds count, and are reported. */
const REPEATS = 15;
/** Pause before a repeat, because disturbances often last for a while. Milliseconds. */
const PAUSE_MS = 3_000;

export interface Plan {
  readonly rounds: number;
  /** Duration of each load. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** The two running servers that are compared. */
export interface Pair {
  readonly service: string;
  readonly bare: string;
  close(): Promise<void>;
}

export interface Comparison {
  readonly service: Load;
  readonly bare: Load;
  /** Median over the rounds of the ratio within each. */
  readonly ratio: number;
  /** Rounds that were repeated, and disturbed rounds that were counted anyway. */
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

/** The part of `text` around its first difference from `other`. */
function difference(text: string, other: string): string {
  const at = Array.from(text).findIndex((char, i) => char !== other[i]);
  return `…${text.slice(Math.max(0, at - 40), at + 80)}…`;
}

/** @throws when the two answer differently, which means that they do not do the same work */
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
 * Measures both in turn, each first in every other round, so that disturbances of the machine hit both.
 *
 * @param open starts both servers, anew for each round: of two processes of the same program one may be a tenth faster
 * for its whole life
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
