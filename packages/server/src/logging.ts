import { pino } from 'pino';
import { createBlockWriter } from './block-writer.ts';
import type { Config } from './config.ts';

/**
 * Log lines are written in blocks of this size, and at least once per interval: one write costs as much as building the
 * lines of ten requests.
 */
const LOG_BLOCK_BYTES = 4096;
const ACCESS_LOG_BLOCK_LENGTH = 16_384;
const LOG_FLUSH_MS = 500;

/** Fields whose values never reach a log, whatever object contains them. */
const SECRET_FIELDS = ['password', 'old', 'new', 'oauth_token', 'oauth_secret', 'token', 'authorization', 'secretKey'];

/** @param base fields of every line except the access log */
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
    /** Flushes the log. To be called before the process ends. */
    close() {
      accessLog.flush();
      destination.flushSync();
    },
  };
}
