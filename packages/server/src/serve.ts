import type { Restarts } from '@baobab/core';
import closeWithGrace from 'close-with-grace';
import { createRestarting } from './backups/restarting.ts';
import type { Config, Environment } from './config.ts';
import type { Logging } from './logging.ts';
import { startServer } from './server.ts';
import { onStopSignals, STOP_SIGNALS, type StopSignal } from './stop-signals.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { PeerWorkers } from './workers/peer-workers.ts';

export interface ServeOptions {
  readonly config: Config;
  /** Environment of the configuration, shown to administrators. */
  readonly env: Environment;
  readonly logging: Logging;
  /** Maximum duration of a stop, in milliseconds. */
  readonly grace: number;
  /** Null if standard output is not a terminal. */
  readonly terminal: Terminal | null;
  /** True (default) to show a banner on the terminal when ready. */
  readonly hasBanner?: boolean;
  /** Peer workers; absent for a single process. */
  readonly peers?: PeerWorkers;
}

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Serves in this process until a stop signal arrives, then ends the process. Resolves when it is serving. */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, env, logging, grace, terminal, hasBanner = true, peers } = options;
  const { logger } = logging;
  let password: string | null = null;
  const stopping = new AbortController();
  const start = (restarts: Restarts | null, port: number | null) =>
    startServer({
      config: port === null ? config : { ...config, port },
      env,
      logger,
      accessLog: logger.isLevelEnabled('info') ? logging.accessLog : null,
      showPassword(generated) {
        // The banner of a terminal shows it.
        password = generated;
        if (terminal === null) print(`The administrator "admin" was created with the password ${generated}`);
      },
      signal: stopping.signal,
      ...(peers && { peers }),
      ...(restarts && { restarts }),
    });
  // Peer workers would go on with other data.
  async function restoreBlob(key: string): Promise<number> {
    const composition = await import('./composition/restore-blob.ts');
    return composition.restoreBlob(config, logger, key);
  }
  const restarting = peers ? null : createRestarting({ config, logger, start, restoreBlob, stopping: stopping.signal });
  const starting = restarting === null ? start(null, null) : restarting.begin();
  let isStopping = false;
  let cause: StopSignal | undefined;
  const { close } = closeWithGrace({ delay: grace, logger: false, skip: [...STOP_SIGNALS] }, async ({ err }) => {
    isStopping = true;
    if (err !== undefined) logger.fatal({ err }, 'unexpected failure');
    else logger.info({ signal: cause }, 'stopping');
    stopping.abort();
    const server = await (restarting?.current() ?? starting).catch(() => null);
    await server?.stop();
    await logging.close();
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
    const { address, hasConsole } = await starting;
    logging.flush();
    if (terminal !== null && hasBanner) {
      const { banner } = await import('./terminal/banner.ts');
      print(banner({ address, config, password, hasConsole }, terminal));
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    // `stop` ends the process.
    await new Promise(() => undefined);
  }
}
