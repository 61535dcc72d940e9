import { expect, it } from 'vitest';
import { Difference } from '../support/authorization/checks.ts';
import { createRun } from '../support/authorization/run.ts';
import {
  type Caller,
  createRandom,
  type FeedStep,
  generateSteps,
  type Step,
  SUBSCRIBERS,
  USERS,
} from '../support/authorization/steps.ts';
import { onEveryStorage, type World } from '../support/backend.ts';
import { randomRuns } from '../support/parts.ts';
import { PATIENCE_MS } from '../support/patience.ts';

/** This many runs go on at the same time. They share only the backend and its settings. */
const RUNS = 10;
/** The setting may change after each round. 100 rounds are 100,000 steps on each storage. */
const ROUNDS = Number(process.env.MODEL_ROUNDS ?? randomRuns(4));
const STEPS_OF_ROUND = 100;
/** Housekeeping runs beside the steps in one of this many rounds, and folds the counters of totals. */
const ROUNDS_BETWEEN_SWEEPS = 3;
/** Visible state is compared after this many steps. */
const STEPS_BETWEEN_CHECKS = 60;
const CALLERS_AT_ONCE = 2;
/** Subscribers who read the feed in a round, and whose replicas are compared at its end. */
const READERS = 4;
/** The share of the steps after which one of them reads: what they may read seldom changes wholesale in between. */
const READS_PER_STEP = 0.15;
/** The share of the rounds before which the setting changes. */
const SETTING_CHANGES = 0.3;
const SHRINK_MS = 60_000;
/** A run of any size ends within this time on any machine, or never. */
const TIMEOUT_MS = 900_000 + ROUNDS * 60_000;

const CALLERS: readonly Caller[] = ['anonymous', 'admin', ...Array.from({ length: USERS }, (_, place) => place)];

const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

type FollowersRead = Extract<Step, { readonly op: 'followers read' }>;

async function setFollowersRead(world: World, { on }: FollowersRead): Promise<void> {
  const path = '/admin/configuration/Application/followers.read.documents';
  const { status, text } = await world.call('PUT', path, { token: await world.admin(), body: { value: on } });
  if (status !== 200) throw new Error(text);
}

interface Failure {
  readonly steps: readonly Step[];
  readonly difference: Difference;
}

/** Resolves to the difference that `work` finds, or null when there is none. */
async function differenceIn(work: () => Promise<void>): Promise<Difference | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Difference) return error;
    throw error;
  }
}

/** A run that can be paused and continued. */
async function createLane(world: World, laneSeed: number) {
  const random = createRandom(laneSeed);
  const run = await createRun(world, random, PATIENCE_MS);
  const steps = generateSteps(createRandom(laneSeed + RUNS));
  const taken: Step[] = [];
  /** The steps that had an effect. */
  let count = 0;

  async function take(): Promise<void> {
    const { value: step } = steps.next();
    if (step === undefined) return;
    taken.push(step);
    if (!(await run.take(step))) taken.pop();
    else if (++count % STEPS_BETWEEN_CHECKS === 0) {
      await run.check(Array.from({ length: CALLERS_AT_ONCE }, () => random.pick(CALLERS)));
    }
  }

  async function read(op: FeedStep['op'], subscriber: number): Promise<void> {
    taken.push({ op, subscriber });
    await run.take({ op, subscriber });
  }

  return {
    taken,
    async goOn(): Promise<void> {
      const readers = Array.from({ length: READERS }, () => random.below(SUBSCRIBERS));
      for (const end = count + STEPS_OF_ROUND; count < end; ) {
        await take();
        if (random.chance(READS_PER_STEP)) await read('catch up', random.pick(readers));
      }
      await run.settle();
      for (const reader of readers) await read('compare', reader);
    },
    async hear(step: FollowersRead): Promise<void> {
      taken.push(step);
      await run.hear(step);
    },
    async checkEverybody(): Promise<void> {
      await run.check(CALLERS);
      for (let subscriber = 0; subscriber < SUBSCRIBERS; subscriber++) await read('compare', subscriber);
    },
  };
}

type Lane = Awaited<ReturnType<typeof createLane>>;

/** Runs `work` in all lanes at the same time. Resolves to the first difference, or null. */
async function inAll(lanes: readonly Lane[], work: (lane: Lane) => Promise<void>): Promise<Failure | null> {
  const differences = await Promise.all(lanes.map((lane) => differenceIn(() => work(lane))));
  const at = differences.findIndex((difference) => difference !== null);
  const [lane, difference] = [lanes[at], differences[at]];
  return lane && difference ? { steps: lane.taken, difference } : null;
}

/** Resolves to the steps up to the first difference, or null when there was none. */
async function runAll(world: World): Promise<Failure | null> {
  const random = createRandom(seed);
  const lanes = await Promise.all(Array.from({ length: RUNS }, (_, lane) => createLane(world, seed + 1 + lane)));
  for (let round = 0; round < ROUNDS; round++) {
    if (random.chance(SETTING_CHANGES)) {
      const step: FollowersRead = { op: 'followers read', on: random.chance(0.7) };
      await setFollowersRead(world, step);
      for (const lane of lanes) await lane.hear(step);
    }
    const isSwept = round % ROUNDS_BETWEEN_SWEEPS === 0;
    const [failure] = await Promise.all([
      inAll(lanes, (lane) => lane.goOn()),
      isSwept ? world.backend.sweep() : Promise.resolve(0),
    ]);
    if (failure !== null) return failure;
  }
  return inAll(lanes, (lane) => lane.checkEverybody());
}

/** Replays the steps and compares the state after each of them. */
async function repeat(world: World, steps: readonly Step[]): Promise<Difference | null> {
  await setFollowersRead(world, { op: 'followers read', on: true });
  const run = await createRun(world, createRandom(1), 0);
  return differenceIn(async () => {
    for (const step of steps) await run.take(step);
    await run.checkAll(CALLERS);
  });
}

/** Shrinks the steps: leaves out each one without which the difference remains. */
async function shrunk(world: World, failure: Failure): Promise<Failure> {
  const end = performance.now() + SHRINK_MS;
  let best = failure;
  for (let size = Math.ceil(best.steps.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = best.steps.length - size; at > -size && performance.now() < end; at -= size) {
      const steps = [...best.steps.slice(0, Math.max(at, 0)), ...best.steps.slice(at + size)];
      const difference = await repeat(world, steps);
      if (difference !== null) best = { steps, difference };
    }
  }
  return best;
}

onEveryStorage('authorization', (world) => {
  it(`agrees with a small model through ${RUNS * ROUNDS * STEPS_OF_ROUND} steps`, { timeout: TIMEOUT_MS }, async () => {
    const failure = await runAll(world);
    if (failure === null) return;
    const { steps, difference } = await shrunk(world, failure);
    const trace = steps.map((step) => JSON.stringify(step)).join('\n');
    expect.fail(`MODEL_SEED=${seed}; ${steps.length} steps make it:\n${trace}\n${difference.message}`);
  });
});
