import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { type CheckContext, codeOf, type Finding, fault, ok, skipped } from './check.ts';

const ANSWER_LIMIT_MS = 2_000;

/** Returns the error code if the system refuses to listen, else null. */
function refusal(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error)));
    server.listen({ port, host }, () => server.close(() => resolve(null)));
  });
}

/** True if a Baobab server responds at this address. */
async function isOurs({ host, port }: Pick<Config, 'host' | 'port'>): Promise<boolean> {
  const anywhere = host === '0.0.0.0' || host === '::';
  const name = host.includes(':') && !anywhere ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${anywhere ? '127.0.0.1' : name}:${port}/health/live`, {
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'data' in body && body.data === 'alive';
  } catch {
    return false;
  }
}

const withoutCredentials = (url: string) => new URL(url).origin;

/** Reports the proxies for outgoing connections. */
export function checkProxy({ proxies }: Pick<Config, 'proxies'>): Finding {
  if (proxies === null) return skipped('No proxy is set, so outgoing connections are direct');
  const used = [
    ...(proxies.https === null ? [] : [`https: and mail through ${withoutCredentials(proxies.https)}`]),
    ...(proxies.http === null ? [] : [`http: through ${withoutCredentials(proxies.http)}`]),
  ];
  const direct = proxies.exceptions === '' ? '' : ', except to the hosts in NO_PROXY';
  return ok(`Outgoing connections use a proxy: ${used.join(', ')}${direct}`);
}

const REMEDIES: Readonly<Record<string, (variable: string) => string>> = {
  EADDRINUSE: (variable) => `Stop the other program, or set ${variable} to a free port`,
  EACCES: (variable) => `Set ${variable} to 1024 or more, or allow the server to use lower ports`,
  EADDRNOTAVAIL: () => 'Set HOST to an address of this machine, or to 0.0.0.0 for all of them',
};

async function checkOne(variable: string, host: string, port: number): Promise<Finding> {
  const code = await refusal(port, host);
  if (code === null) return ok(`${variable} ${port} is free`);
  const remedy = REMEDIES[code]?.(variable) ?? 'Correct HOST';
  const why = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be listened on (${code})`;
  return fault(`${variable} ${port} ${why}`, remedy);
}

/** Checks that the server can listen, or already does. */
export async function checkPorts({ config }: CheckContext): Promise<Finding[]> {
  const { host, port, metricsPort } = config;
  if (port !== 0 && (await isOurs(config))) return [ok(`Baobab is listening on port ${port}`)];
  const findings = port === 0 ? [ok('PORT 0: the system chooses a free port')] : [await checkOne('PORT', host, port)];
  if (metricsPort !== null && metricsPort !== 0) findings.push(await checkOne('METRICS_PORT', host, metricsPort));
  return findings;
}
