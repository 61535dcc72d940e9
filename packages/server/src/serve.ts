import closeWithGrace from 'close-with-grace';
import type { Config, Environment } from './config.ts';
import type { createLogging } from './logging.ts';
import { startServer } from './server.ts';
import { onStopSignals, STOP_SIGNALS, type StopSignal } from './stop-signals.ts';
import type { PeerWorkers } from './workers/peer-workers.ts';

export interface ServeOptions {
  readonly config: Config;
  /** The environment from which the configuration was parsed, to show it to administrators. */
  readonly env: Environment;
  readonly logging: ReturnType<typeof createLogging>;
  /** How long a stop may take, in milliseconds. */
  readonly grace: number;
  /** The peer workers; absent: this is the only process. */
  readonly peers?: PeerWorkers;
}

/** Serves in this process until a stop signal arrives, then ends the process. Resolves when it is serving. */
export async function serve({ config, env, logging, grace, peers }: ServeOptions): Promise<void> {
  const { logger } = logging;
  const stopping = new AbortController();
  const starting = startServer({
    config,
    env,
    logger,
    accessLog: logger.isLevelEnabled('info') ? logging.accessLog : null,
    print: (line) => process.stdout.write(`${line}\n`),
    signal: stopping.signal,
    ...(peers && { peers }),
  });
  let isStopping = false;
  let cause: StopSignal | undefined;
  const { close } = closeWithGrace({ delay: grace, logger: false, skip: [...STOP_SIGNALS] }, async ({ err }) => {
    isStopping = true;
    if (err !== undefined) logger.fatal({ err }, 'unexpected failure');
    else logger.info({ signal: cause }, 'stopping');
    stopping.abort();
    const server = await starting.catch(() => null);
    await server?.stop();
    logging.close();
  });
  /** Idempotent: repeated calls change nothing. */
  function stop(signal?: StopSignal): void {
    if (isStopping) return;
    cause = signal;
    close();
  }
  peers?.onStop(stop);
  // With several processes, the primary decides when to give up.
  onStopSignals({ stop, ...(!peers && { giveUp: () => process.exit(1) }) });
  try {
    await starting;
    logging.flush();
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    // `stop` ends the process.
    await new Promise(() => undefined);
  }
}
