import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Load, Request } from './load.ts';

export interface Job {
  readonly url: string;
  readonly requests: readonly Request[];
  readonly seconds: number;
  readonly connections: number;
  /** Slower responses count as failures. */
  readonly timeoutSeconds?: number;
}

/** Returns the path of wrk, or null if it is not installed. */
export function findWrk(): string | null {
  try {
    return execFileSync('which', ['wrk'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Quotes ASCII text; Lua reads JSON escapes the same way. */
const lua = (text: string) => JSON.stringify(text);

function scriptFor(requests: readonly Request[]): string {
  const tables = requests.map(({ method, path, headers, body }) => {
    const fields = Object.entries(headers).map(([name, value]) => `[${lua(name)}]=${lua(value)}`);
    return `{${lua(method)},${lua(path)},{${fields.join(',')}},${body === undefined ? 'nil' : lua(body)}}`;
  });
  return `local requests = {${tables.join(',\n')}}
local ready = {}
local at = 0
function init() for i, r in ipairs(requests) do ready[i] = wrk.format(r[1], r[2], r[3], r[4]) end end
function request() at = at % #ready + 1; return ready[at] end
`;
}

const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };

function percentile(output: string, percent: number): number {
  const [, number, unit] = new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s)`, 'm').exec(output) ?? [];
  return Number((Number(number) * (MILLISECONDS[unit ?? ''] ?? Number.NaN)).toPrecision(2));
}

/** Default timeout of wrk. */
const TIMEOUT_SECONDS = 2;

export async function loadWithWrk(
  wrk: string,
  { url, requests, seconds, connections, timeoutSeconds }: Job,
): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const script = join(folder, 'requests.lua');
  writeFileSync(script, scriptFor(requests));
  try {
    const timeout = `--timeout=${timeoutSeconds ?? TIMEOUT_SECONDS}s`;
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, timeout, '--latency', '-s', script, url];
    const { stdout } = await promisify(execFile)(wrk, args);
    if (/Non-2xx|Socket errors/.test(stdout))
      throw new Error(`requests to ${url}${requests[0]?.path} failed:\n${stdout}`);
    const perSecond = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1]);
    return { perSecond, p50: percentile(stdout, 50), p99: percentile(stdout, 99) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
