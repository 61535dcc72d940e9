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
/** Lines that wait for a full disk or a slow reader, in bytes. Further ones are dropped. */
const LOG_KEPT_BYTES = 8_388_608;
const WARNING_INTERVAL_MS = 60_000;

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
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: LOG_BLOCK_BYTES,
    maxLength: LOG_KEPT_BYTES,
  });
  const warn = createWarning();
  let isFull = false;
  destination.on('error', (error) => {
    isFull = true;
    warn(error.message);
  });
  destination.on('drop', () => warn('its reader is too slow, or the disk is full'));
  destination.on('drain', () => {
    isFull = false;
  });
  // The library writes the rest synchronously at the exit, and would try forever on a full disk.
  process.prependListener('exit', () => {
    if (isFull) destination.destroy();
  });
  const accessLog = createBlockWriter(destination, ACCESS_LOG_BLOCK_LENGTH);
  setInterval(() => {
    accessLog.flush();
    destination.flush();
  }, LOG_FLUSH_MS).unref();
  return {
    // Without `flushSync`, which `fatal` would call: it tries forever as well.
    logger: pino({ level, redact, base }, { write: (lines: string) => void destination.write(lines) }),
    accessLog,
    flush: () => destination.flush(),
    close() {
      accessLog.flush();
      // `flushSync` would retry forever on a pipe without a reader.
      return new Promise((resolve) => destination.flush(() => resolve()));
    },
  };
}

/** Returns a function that reports why the log cannot be written, at most once a minute. The service goes on. */
function createWarning(): (reason: string) => void {
  let warned = Number.NEGATIVE_INFINITY;
  // Standard error may be the same full disk.
  process.stderr.on('error', () => undefined);
  return (reason) => {
    if (performance.now() - warned < WARNING_INTERVAL_MS) return;
    warned = performance.now();
    process.stderr.write(`baobab: the log cannot be written, lines may be lost: ${reason}\n`);
  };
}

/** Writes each line immediately. Writes to a terminal are synchronous, so there is nothing to flush. */
const createScreen = ({ format }: Pick<Terminal, 'format'>): LineWriter => ({
  write(lines) {
    for (const line of lines.split('\n')) if (line !== '') process.stdout.write(format(line));
  },
});
