import closeWithGrace from 'close-with-grace';
import type { Config } from './config.ts';
import type { createLogging } from './logging.ts';
import { startServer } from './server.ts';
import type { Colleagues } from './workers/colleagues.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly logging: ReturnType<typeof createLogging>;
  /** How long a stop may take, milliseconds. */
  readonly grace: number;
  /** Signals that somebody else listens to. */
  readonly skip?: ReadonlyArray<'SIGTERM' | 'SIGINT' | 'SIGHUP'>;
  /** Absent: the only process. */
  readonly colleagues?: Colleagues;
}

/**
 * Serves in this process until it is told to stop; ends the process then. Resolves when it serves.
 *
 * @param onStart receives what stops it
 */
export async function serve(
  { config, logging, grace, skip = [], colleagues }: ServeOptions,
  onStart: (stop: () => void) => void = () => undefined,
): Promise<void> {
  const { logger } = logging;
  const stopping = new AbortController();
  const starting = startServer({
    config,
    logger,
    accessLog: logger.isLevelEnabled('info') ? logging.accessLog : null,
    print: (line) => process.stdout.write(`${line}\n`),
    signal: stopping.signal,
    ...(colleagues && { colleagues }),
  });
  const { close } = closeWithGrace({ delay: grace, logger: false, skip: [...skip] }, async ({ signal, err }) => {
    if (err !== undefined) logger.fatal({ err }, 'unexpected failure');
    else logger.info({ signal }, 'stopping');
    stopping.abort();
    const server = await starting.catch(() => null);
    await server?.stop();
    logging.close();
  });
  onStart(close);
  try {
    await starting;
    logging.flush();
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    // What stops it ends the process.
    await new Promise(() => undefined);
  }
}
