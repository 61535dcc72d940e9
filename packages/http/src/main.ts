import { isAppError } from '@baobab/core';
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { createBlockWriter } from './access-log.ts';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { startServer } from './server.ts';

/** What runs when the program is told to stop may take so long. Milliseconds. */
const GRACE_MS = 10_000;
/** Log lines are written in blocks, and at least so often. */
const LOG_BLOCK_BYTES = 4096;
const LOG_FLUSH_MS = 500;

/** Fields whose values never reach a log, wherever an object carries them. */
const SECRET_FIELDS = ['password', 'old', 'new', 'oauth_token', 'oauth_secret', 'token', 'authorization', 'secretKey'];

function createLogging(level: Config['logLevel']) {
  const destination = pino.destination({ dest: 1, sync: false, minLength: LOG_BLOCK_BYTES });
  const accessLog = createBlockWriter(destination, LOG_BLOCK_BYTES);
  setInterval(() => {
    accessLog.flush();
    destination.flush();
  }, LOG_FLUSH_MS).unref();
  const redact = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]);
  const logger = pino({ level, redact, base: null }, destination);
  return { logger, destination, accessLog };
}

/** Ends the program with a message that says what was wrong; stack traces are for bugs. */
function fail(error: unknown): never {
  const expected = error instanceof ConfigError || isAppError(error) || (error instanceof Error && 'syscall' in error);
  const message = expected ? (error as Error).message : ((error as Error)?.stack ?? String(error));
  const cause =
    error instanceof Error && isAppError(error) && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  for (const line of message.split('\n')) process.stderr.write(`baobab: ${line}${cause}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = parseConfig(process.env);
  const { logger, destination, accessLog } = createLogging(config.logLevel);
  const stopping = new AbortController();
  const starting = startServer({
    config,
    logger,
    accessLog: logger.isLevelEnabled('info') ? accessLog : null,
    print: (line) => process.stdout.write(`${line}\n`),
    signal: stopping.signal,
  });
  closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ signal, err }) => {
    if (err !== undefined) logger.fatal({ err }, 'unexpected failure');
    else logger.info({ signal }, 'stopping');
    stopping.abort();
    const server = await starting.catch(() => null);
    await server?.stop();
    accessLog.flush();
    destination.flushSync();
  });
  try {
    await starting;
    destination.flush();
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  }
}

main().catch(fail);
