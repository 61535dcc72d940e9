import { isAppError } from '@baobab/core';
import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { requireNode } from '../node-version.ts';
import type { Host } from './host.ts';
import { createProgram } from './program.ts';
import { UsageError } from './usage-error.ts';

/** Exit codes: 0 success, 1 failure, 2 usage error. */
const FAILED = 1;
const MISUSED = 2;

const isMisuse = (error: unknown) => error instanceof ConfigError || error instanceof UsageError;

/** Formats an error for people. Stack traces are shown for bugs only. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOfDatabase = error.name === 'ArchiveError' || error.name === 'PostgresError';
  const isExpected = isMisuse(error) || isAppError(error) || isOfDatabase || 'syscall' in error;
  const cause = isAppError(error) && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return isExpected ? `${error.message}${cause}` : (error.stack ?? error.message);
}

/**
 * Runs a command to completion, and sets the exit code of `host`. Without arguments, as in `npx baobab`, it runs the
 * server.
 */
export async function run(args: readonly string[], env: Record<string, string | undefined>, host: Host): Promise<void> {
  try {
    requireNode(process.versions.node);
    await createProgram(env, host).parseAsync(args.length > 0 ? args : ['serve'], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) host.exitCode = error.exitCode === 0 ? 0 : MISUSED;
    else {
      for (const line of explain(error).split('\n')) host.stderr.write(`baobab: ${line}\n`);
      host.exitCode = isMisuse(error) ? MISUSED : FAILED;
    }
  }
}
