import { loadWithAutocannon } from './autocannon.ts';
import { findWrk, type Job, loadWithWrk } from './wrk.ts';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const CONNECTIONS = 64;

/** Result of one load. */
export interface Load {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const wrk = findWrk();

/**
 * The load generator: wrk if installed, otherwise autocannon. A JavaScript generator needs as much processor time as a
 * bare server, so on two cores it measures itself as well.
 */
export const GENERATOR = wrk === null ? 'autocannon' : 'wrk';

/**
 * Sends `requests` round-robin over all connections, each as soon as the previous one is answered.
 *
 * @throws if a response is not 2xx: failures are fast and would distort the result
 */
export function load(
  url: string,
  requests: readonly Request[],
  seconds: number,
  connections: number = CONNECTIONS,
): Promise<Load> {
  return loadAs({ url, requests, seconds, connections });
}

/** Like {@link load}, with all options of a job. */
export const loadAs = (job: Job): Promise<Load> => (wrk === null ? loadWithAutocannon(job) : loadWithWrk(wrk, job));

export async function sendOnce(url: string, { method, path, headers, body }: Request): Promise<string> {
  const response = await fetch(new URL(path, url), { method, headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
}
