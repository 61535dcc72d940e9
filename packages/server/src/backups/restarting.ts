import type { Logger, Restarts, RestoreOutcome } from '@baobab/core';
import type { Config } from '../config.ts';
import type { Server } from '../server.ts';

interface RestartingOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** @param port the port of the last start; null at the first one */
  readonly start: (restarts: Restarts | null, port: number | null) => Promise<Server>;
  /** Restores the archive stored as this blob, and removes the blob. Resolves to the number of rows. */
  readonly restoreBlob: (key: string) => Promise<number>;
  /** Aborts when the program stops. */
  readonly stopping: AbortSignal;
}

/** Starts the server, and again after each restore of an archive. */
export function createRestarting({ config, logger, start, restoreBlob, stopping }: RestartingOptions) {
  let last: RestoreOutcome | null = null;
  let running: Promise<Server>;

  async function restore(key: string): Promise<void> {
    try {
      const rows = await restoreBlob(key);
      last = { at: Date.now(), error: null };
      logger.warn({ rows }, 'archive restored');
    } catch (err) {
      last = { at: Date.now(), error: err instanceof Error ? err.message : String(err) };
      logger.error({ err }, 'archive not restored, nothing was changed');
    }
  }

  async function restart(before: Promise<Server>, key: string): Promise<Server> {
    const server = await before;
    await server.stop(); // after the answer to the upload
    await restore(key);
    return startNow(Number(new URL(server.address).port));
  }

  function startNow(port: number | null): Promise<Server> {
    // Blobs in memory do not outlive the server that received them.
    const canRestore = config.database.kind !== 'memory' && config.blobs.kind !== 'memory';
    const restarts: Restarts = {
      last,
      restore(key) {
        logger.warn({}, 'restarting to restore an archive');
        running = restart(running, key);
        running.catch((err: unknown) => {
          if (stopping.aborted) return;
          logger.error({ err }, 'start failed after a restore');
          process.exit(1);
        });
      },
    };
    return start(canRestore ? restarts : null, port);
  }

  return {
    /** Resolves when the server serves for the first time. */
    begin(): Promise<Server> {
      running = startNow(null);
      return running;
    },
    /** The server that runs now, or is being started. */
    current: () => running,
  };
}
