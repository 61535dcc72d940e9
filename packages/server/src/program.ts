import { isAppError } from '@baobab/core';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { completeEnvironment, type EnvironmentReport, logEnvironment } from './environment.ts';
import { explainFault } from './faults/explain.ts';
import { createLogging } from './logging.ts';
import { requireNode } from './node-version.ts';
import { isWatching, serveAndWatch } from './watch.ts';

/** Time for work in progress after a stop signal, in addition to the configured drain delay. Milliseconds. */
const GRACE_MS = 10_000;

const messageOf = (error: Error) =>
  isAppError(error) && error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;

/**
 * Ends the program with an error message. Stack traces are shown for bugs only.
 *
 * @param explained fix for the operator, if known
 */
function fail(error: unknown, explained: string | null = null): never {
  const isExpected =
    error instanceof ConfigError ||
    isAppError(error) ||
    (error instanceof Error && error.name === 'ExtensionError') ||
    (error instanceof Error && 'syscall' in error);
  const message = isExpected ? messageOf(error) : ((error as Error)?.stack ?? String(error));
  for (const line of (explained ?? message).split('\n')) process.stderr.write(`baobab: ${line}\n`);
  process.exit(1);
}

async function run(config: Config, environment: EnvironmentReport): Promise<void> {
  const grace = GRACE_MS + config.drainDelayMs;
  // Loaded lazily, like the code for workers: a server that logs to a file or a pipe needs neither.
  const terminal = process.stdout.isTTY ? (await import('./terminal/terminal.ts')).createTerminal(process.env) : null;
  if (config.workers > 1) {
    const { serveWithWorkers } = await import('./workers/serve.ts');
    await serveWithWorkers({ config, env: process.env, grace, terminal, environment });
  } else {
    const { serve } = await import('./serve.ts');
    const logging = createLogging(config.logLevel, { terminal });
    logEnvironment(environment, logging.logger);
    await serve({ config, env: process.env, logging, grace, terminal });
  }
}

async function main(): Promise<void> {
  requireNode(process.versions.node);
  if (isWatching()) {
    serveAndWatch(process.env);
    return;
  }
  const environment = completeEnvironment(process.env, process.cwd());
  const config = parseConfig(process.env);
  await run(config, environment).catch((error: unknown) => fail(error, explainFault(error, config)));
}

main().catch((error: unknown) => fail(error));
