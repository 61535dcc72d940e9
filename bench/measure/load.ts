import autocannon, { type Request } from 'autocannon';

export type { Request } from 'autocannon';

export const CONNECTIONS = 64;

/** What one load gave. */
export interface Load {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Sends `requests` in turn over all connections, each as soon as the last one is answered.
 *
 * @param onSecond is called with the answers of each second
 * @throws when anything but 2xx came back: errors are fast and would look good
 */
export async function load(
  url: string,
  requests: readonly Request[],
  seconds: number,
  onSecond: (answers: number) => void = () => undefined,
): Promise<Load> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests }).on(
    'tick',
    ({ counter }) => onSecond(counter),
  );
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of the requests to ${url}${requests[0]?.path} failed`);
  return { perSecond: result['2xx'] / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}

export async function sendOnce(url: string, { method, path, headers, body }: Request): Promise<string> {
  const response = await fetch(new URL(path, url), { method, headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
}
