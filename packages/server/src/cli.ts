#!/usr/bin/env node
import { isAppError } from '@baobab/core';
import { CommanderError } from 'commander';
import { createProgram } from './cli/program.ts';
import { UsageError } from './cli/usage-error.ts';
import { ConfigError } from './config.ts';
import { requireNode } from './node-version.ts';

/** Exit codes: 0 success, 1 failure, 2 usage error. */
const FAILED = 1;
const MISUSED = 2;

const isMisuse = (error: unknown) => error instanceof ConfigError || error instanceof UsageError;

/** The message of an error for people. Stack traces are shown for bugs only. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = isMisuse(error) || isAppError(error) || error.name === 'ArchiveError' || 'syscall' in error;
  const cause = isAppError(error) && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return isExpected ? `${error.message}${cause}` : (error.stack ?? error.message);
}

const args = process.argv.slice(2);

try {
  requireNode(process.versions.node);
  // Without arguments, as in `npx baobab`, the program serves.
  await createProgram(process.env).parseAsync(args.length > 0 ? args : ['serve'], { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
  else {
    for (const line of explain(error).split('\n')) process.stderr.write(`baobab: ${line}\n`);
    process.exitCode = isMisuse(error) ? MISUSED : FAILED;
  }
}
