import { type Logger as PinoLogger, pino } from 'pino';
import type { LineWriter } from './access-log.ts';
import { createBlockWriter } from './block-writer.ts';
import type { Config } from './config.ts';
import type { Terminal } from './terminal/terminal.ts';

/**
 * Log lines are written in blocks of this size, and at least once per interval: one write costs as much as building the
 * lines of ten requests.
 */
const LOG_BLOCK_BYTES = 4096;
const ACCESS_LOG_BLOCK_LENGTH = 16_384;
const LOG_FLUSH_MS = 500;

/** Fields whose values are never logged, in any object. */
const SECRET_FIELDS = ['password', 'old', 'new', 'oauth_token', 'oauth_secret', 'token', 'authorization', 'secretKey'];

export interface LoggingOptions {
  /** Fields of every line except in the access log. */
  readonly base?: { readonly worker: number } | null;
  /** Formats lines for people at a terminal. Absent or null for JSON. */
  readonly terminal?: Pick<Terminal, 'format'> | null;
}

export interface Logging {
  readonly logger: PinoLogger;
  readonly accessLog: LineWriter;
  flush(): void;
  /** Writes the rest of the log, unless its reader is gone. Await this before the process ends. */
  close(): Promise<void>;
}

export function createLogging(
  level: Config['logLevel'],
  { base = null, terminal = null }: LoggingOptions = {},
): Logging {
  const redact = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]);
  if (terminal !== null) {
    const screen = createScreen(terminal);
    // A closed terminal accepts no more lines. Its SIGHUP stops the program.
    process.stdout.on('error', () => undefined);
    const nothing = () => undefined;
    return {
      logger: pino({ level, redact, base }, screen),
      accessLog: screen,
      flush: nothing,
      close: async () => undefined,
    };
  }
  const destination = pino.destination({ dest: 1, sync: false, minLength: LOG_BLOCK_BYTES });
  const accessLog = createBlockWriter(destination, ACCESS_LOG_BLOCK_LENGTH);
  setInterval(() => {
    accessLog.flush();
    destination.flush();
  }, LOG_FLUSH_MS).unref();
  return {
    logger: pino({ level, redact, base }, destination),
    accessLog,
    flush: () => destination.flush(),
    close() {
      accessLog.flush();
      // `flushSync` would retry forever on a pipe without a reader.
      return new Promise((resolve) => destination.flush(() => resolve()));
    },
  };
}

/** Writes each line immediately. Writes to a terminal are synchronous, so there is nothing to flush. */
const createScreen = ({ format }: Pick<Terminal, 'format'>): LineWriter => ({
  write(lines) {
    for (const line of lines.split('\n')) if (line !== '') process.stdout.write(format(line));
  },
});
