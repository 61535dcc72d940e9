import { pino } from 'pino';
import { createBlockWriter } from './block-writer.ts';
import type { Config } from './config.ts';

/** Log lines are written in blocks, and at least so often: a write costs as much as ten requests' lines. */
const LOG_BLOCK_BYTES = 4096;
const ACCESS_LOG_BLOCK_LENGTH = 16_384;
const LOG_FLUSH_MS = 500;

/** Fields whose values never reach a log, wherever an object carries them. */
const SECRET_FIELDS = ['password', 'old', 'new', 'oauth_token', 'oauth_secret', 'token', 'authorization', 'secretKey'];

/** @param base what every line says, besides those of requests */
export function createLogging(level: Config['logLevel'], base: { readonly worker: number } | null = null) {
  const destination = pino.destination({ dest: 1, sync: false, minLength: LOG_BLOCK_BYTES });
  const accessLog = createBlockWriter(destination, ACCESS_LOG_BLOCK_LENGTH);
  setInterval(() => {
    accessLog.flush();
    destination.flush();
  }, LOG_FLUSH_MS).unref();
  const redact = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]);
  const logger = pino({ level, redact, base }, destination);
  return {
    logger,
    accessLog,
    flush: () => destination.flush(),
    /** To be called before the process ends. */
    close() {
      accessLog.flush();
      destination.flushSync();
    },
  };
}
