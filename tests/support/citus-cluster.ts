import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CITUS_URL } from './citus.ts';
import { fastPlace } from './fast-place.ts';

/** Script that starts a cluster and prints the URL of its coordinator; see `scripts/run.mjs`. */
const SCRIPT = process.env.CITUS_SCRIPT ?? join(import.meta.dirname, '../../../shared/engines/citus.sh');

/**
 * Maximum start time, in milliseconds. A start takes some seconds; a machine that exceeds this is too slow for a
 * cluster.
 */
const LONGEST_START = 180_000;
/** Number of attempts. The script searches for free ports, which other programs may take before it does. */
const ATTEMPTS = 2;

interface CitusPlace {
  /** URL of a database on the coordinator that knows all nodes. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Reason why no cluster is available. */
interface NoCitus {
  readonly missing: string;
}

/** Returns the most informative line of an output. */
const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';

function tryToStart(): Promise<CitusPlace | NoCitus> {
  // The cluster stops with the command, and the command with its input.
  const script = spawn('bash', [SCRIPT, 'run', 'sh', '-c', 'echo "$DATABASE_URL"; cat > /dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: fastPlace() },
  });
  const ended = new Promise<string>((resolve) => {
    script.once('error', (error) => resolve(error.message));
    script.once('close', (code) => resolve(`${SCRIPT} ended with ${code}: ${lastLine(errors)}`));
  });
  let errors = '';
  script.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    let output = '';
    const tooLong = setTimeout(() => {
      script.stdin.end();
      script.kill();
      resolve({ missing: `${SCRIPT} did not start a cluster in ${LONGEST_START / 1000} seconds` });
    }, LONGEST_START);
    script.stdout.on('data', (chunk) => {
      output += chunk;
      if (!output.includes('\n')) return;
      clearTimeout(tooLong);
      resolve({
        url: output.trim(),
        async stop() {
          script.stdin.end();
          await ended;
        },
      });
    });
    void ended.then((missing) => {
      clearTimeout(tooLong);
      resolve({ missing });
    });
  });
}

/**
 * Returns the cluster of `npm run test:citus`, or starts one in a few seconds, or returns the reason why that is
 * impossible.
 */
export async function startCitus(): Promise<CitusPlace | NoCitus> {
  if (CITUS_URL !== undefined) return { url: CITUS_URL, stop: async () => undefined };
  if (!existsSync(SCRIPT)) return { missing: `there is no ${SCRIPT}, and CITUS_SCRIPT names no other` };
  let started = await tryToStart();
  for (let attempt = 1; attempt < ATTEMPTS && 'missing' in started; attempt++) started = await tryToStart();
  return started;
}
