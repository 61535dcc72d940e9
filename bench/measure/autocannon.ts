import autocannon from 'autocannon';
import type { Load } from './load.ts';
import type { Job } from './wrk.ts';

export async function loadWithAutocannon({ url, requests, seconds, connections, timeoutSeconds }: Job): Promise<Load> {
  const timeout = timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds };
  const result = await autocannon({ url, connections, duration: seconds, requests: [...requests], ...timeout });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of the requests to ${url}${requests[0]?.path} failed`);
  return { perSecond: result['2xx'] / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
