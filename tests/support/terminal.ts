import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './patience.ts';
import { argumentsOf, build, COMPILED, PROGRAM } from './program.ts';

/** A program in a terminal of util-linux's `script`. */
export interface TerminalRun {
  /** Returns all output on the screen so far. */
  screen(): string;
  /** Resolves when the text is on the screen. */
  shows(text: string): Promise<unknown>;
  type(keys: string): void;
  /** Resolves to the exit code. */
  readonly exit: Promise<number | null>;
  kill(): void;
}

/** Runs a Node script, by default the program itself, with only `env` in its environment. */
export function runInTerminal(
  env: Readonly<Record<string, string>>,
  { command = [PROGRAM], cwd }: { readonly command?: readonly string[]; readonly cwd?: string } = {},
): TerminalRun {
  build();
  const words = [process.execPath, ...argumentsOf(command)].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${words}`, '/dev/null'], {
    ...(cwd !== undefined && { cwd }),
    env: { ...COMPILED, HOST: '127.0.0.1', PORT: '0', ...env, PATH: process.env.PATH ?? '', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
  });
  return {
    screen: () => screen,
    shows: (text) => until(() => screen.includes(text)),
    type: (keys) => void child.stdin.write(keys),
    exit: once(child, 'close').then(([code]) => code),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Returns the address in the banner. */
export const addressOn = (screen: string) => /Service +(http:\S+)/.exec(screen)?.[1] ?? '';
