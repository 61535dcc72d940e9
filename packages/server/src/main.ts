import { isAppError } from '@baobab/core';
import { ConfigError, parseConfig } from './config.ts';
import { createLogging } from './logging.ts';
import { limitYoungGeneration, unlimitYoungGeneration } from './young-generation.ts';

/** How long work in progress may take after a stop signal, in addition to the configured drain delay. Milliseconds. */
const GRACE_MS = 10_000;

/** Ends the program with an error message. Stack traces are shown for bugs only. */
function fail(error: unknown): never {
  const expected = error instanceof ConfigError || isAppError(error) || (error instanceof Error && 'syscall' in error);
  const message = expected ? (error as Error).message : ((error as Error)?.stack ?? String(error));
  const cause =
    error instanceof Error && isAppError(error) && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  for (const line of message.split('\n')) process.stderr.write(`baobab: ${line}${cause}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  limitYoungGeneration();
  const config = parseConfig(process.env);
  const grace = GRACE_MS + config.drainDelayMs;
  // Loaded lazily: a single process needs none of the code for workers.
  if (config.workers > 1) {
    const { serveWithWorkers } = await import('./workers/serve.ts');
    await serveWithWorkers(config, process.env, grace);
  } else {
    const { serve } = await import('./serve.ts');
    await serve({ config, env: process.env, logging: createLogging(config.logLevel), grace });
  }
  unlimitYoungGeneration();
}

main().catch(fail);
