import { spawn } from 'node:child_process';
import { build, COMMAND, COMPILED } from './program.ts';

export interface ShellOptions {
  /** Working folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Additional variables, which `$THERE` passes to `env`. */
  readonly there: Readonly<Record<string, string>>;
}

/** Runs a line of bash in which `baobab` is the command line. Resolves when it exits. */
export async function startShell(
  line: string,
  { folder, env, there }: ShellOptions,
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  build();
  const THERE = Object.entries(there)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  const program = `'${process.execPath}' '${COMMAND}'`;
  const script = `set -o pipefail\n${line.replaceAll(/\bbaobab (?=-|[a-z])/g, `${program} `)}`;
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    env: { ...COMPILED, ...env, THERE, PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output, errors };
}
