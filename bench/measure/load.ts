import { loadWithAutocannon } from './autocannon.ts';
import { findWrk, loadWithWrk } from './wrk.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const CONNECTIONS = 64;

/** What one load gave. */
export interface Load {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const wrk = findWrk();

/**
 * What sends the requests: wrk where it is installed, else autocannon. A generator in JavaScript needs as much of the
 * processor as a bare server: what it measures on two cores is itself as well.
 */
export const GENERATOR = wrk === null ? 'autocannon' : 'wrk';

/**
 * Sends `requests` in turn over all connections, each as soon as the last one is answered.
 *
 * @throws when anything but 2xx came back: errors are fast and would look good
 */
export function load(
  url: string,
  requests: readonly Request[],
  seconds: number,
  connections: number = CONNECTIONS,
): Promise<Load> {
  const job = { url, requests, seconds, connections };
  return wrk === null ? loadWithAutocannon(job) : loadWithWrk(wrk, job);
}

export async function sendOnce(url: string, { method, path, headers, body }: Request): Promise<string> {
  const response = await fetch(new URL(path, url), { method, headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
}
