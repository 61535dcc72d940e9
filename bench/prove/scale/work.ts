import type { Client, Reply } from '../client.ts';
import { percentile } from '../page.ts';
import { PER_VALUE } from './fill.ts';

/** Response times, in milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** Session tokens of the callers. */
interface Sessions {
  readonly admin: string;
  readonly owner: string;
  readonly granted: string;
  readonly follower: string;
  readonly member: string;
}

export const COLLECTION = 'posts';
const CALLS = 200;
const WARM_UP = 20;
const PAGE = 20;
const TEXT = 'Sphinx of black quartz, judge my vow. '.repeat(25);

const timesOf = (values: readonly number[]): Times => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });

async function timed(call: (n: number) => Promise<Reply>): Promise<Times> {
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + CALLS; n++) {
    const began = performance.now();
    await call(n);
    if (n >= WARM_UP) times.push(performance.now() - began);
  }
  return timesOf(times);
}

/** Creates the measured work, in the order of the report. */
function createWorks({
  client,
  address,
  sessions,
  ids,
  documents,
}: Target): ReadonlyArray<readonly [name: string, call: (n: number) => Promise<Reply>]> {
  const base = `${address}/document/${COLLECTION}`;
  const get = (token: string, path: string) => client.expect('GET', base + path, { token });
  const page = `?recordsPerPage=${PAGE}`;
  const where = (n: number) => encodeURIComponent(`bin = ${(n * 7919) % Math.ceil(documents / PER_VALUE)}`);
  const body = { title: 'New', bin: -1, text: TEXT };
  return [
    ['read one', (n) => get(sessions.admin, `/${ids[n % ids.length]}`)],
    ['create', () => client.expect('POST', base, { token: sessions.owner, body })],
    ['list: all, administrator', () => get(sessions.admin, page)],
    ['list: own', () => get(sessions.owner, page)],
    ['list: granted', () => get(sessions.granted, page)],
    ['list: of followed users', () => get(sessions.follower, page)],
    ['list: granted to groups', () => get(sessions.member, page)],
    ['criteria on an index', (n) => get(sessions.admin, `${page}&where=${where(n)}`)],
    ['count: own', () => get(sessions.owner, '/count')],
    ['count: granted', () => get(sessions.granted, '/count')],
    ['count: criteria on an index', (n) => get(sessions.admin, `/count?where=${where(n)}`)],
  ];
}

export interface Target {
  readonly client: Client;
  readonly address: string;
  readonly sessions: Sessions;
  /** Ids of documents throughout the collection. */
  readonly ids: readonly string[];
  /** Total number of documents. */
  readonly documents: number;
}

export async function measureWorks(target: Target): Promise<Map<string, Times>> {
  const times = new Map<string, Times>();
  for (const [name, call] of createWorks(target)) times.set(name, await timed(call));
  return times;
}

/** Starts concurrent readers and writers, each with one request at a time. */
export function startOthers(target: Target): { stop(): Promise<Times & { readonly longest: number }> } {
  const [read, create] = createWorks(target).map(([, call]) => call);
  const times: number[] = [];
  let stopping = false;
  async function work(call: ((n: number) => Promise<Reply>) | undefined): Promise<void> {
    for (let n = 0; !stopping; n++) {
      const began = performance.now();
      await call?.(n);
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const running = [read, read, create, create].map(work);
  return {
    async stop() {
      stopping = true;
      await Promise.all(running);
      return { ...timesOf(times), longest: Math.max(...times) };
    },
  };
}
