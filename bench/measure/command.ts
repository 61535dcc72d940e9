import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = join(dirname(fileURLToPath(import.meta.resolve('@baobab/server'))), 'cli.js');

/** Output of a command, its duration in seconds, and its start and end as times of `performance.now()`. */
export interface Ended {
  readonly output: string;
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Runs the command line in a separate session, like a system timer. Linux groups processes by session and gives each
 * group its share of the processor, regardless of priorities inside the group.
 *
 * @param wrap returns the command that runs the given one; default: unchanged
 * @throws if the command fails
 */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  wrap: (command: readonly string[]) => readonly [string, ...string[]] = ([command = '', ...rest]) => [
    command,
    ...rest,
  ],
): Promise<Ended> {
  const from = performance.now();
  const [command, ...rest] = wrap([process.execPath, COMMAND, '--json', ...args]);
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const killOnExit = () => child.kill('SIGKILL');
    process.on('exit', killOnExit);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('exit', killOnExit);
      const to = performance.now();
      if (code === 0) resolve({ output, seconds: (to - from) / 1_000, from, to });
      else
        reject(new Error(`"baobab ${args.join(' ')}" FAILED with ${signal ?? `code ${code}`}: nothing was measured`));
    });
  });
}
