import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import type { Config, Environment } from '../config.ts';
import { createLogging } from '../logging.ts';
import { serve } from '../serve.ts';
import { onStopSignals, STOP_SIGNALS, type StopSignal } from '../stop-signals.ts';
import { type Channel, createPeerWorkers } from './peer-workers.ts';
import { runPrimary } from './primary.ts';

/** Time that workers need beyond their own limit. Milliseconds. */
const MARGIN_MS = 1_000;

/** Serves with several worker processes. @param grace how long a stop may take in each of them, in milliseconds */
export async function serveWithWorkers(config: Config, env: Environment, grace: number): Promise<void> {
  if (cluster.isPrimary) await lead(config, grace);
  else await work(config, env, grace);
}

async function lead(config: Config, grace: number): Promise<void> {
  const { logger, flush, close } = createLogging(config.logLevel);
  // Workers accept connections themselves. If the primary distributed them, a connection on its way to a worker that
  // dies would hang for ever: nobody would close it or answer.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let exitCode = 0;
  let hasFailed = false;
  let ended: () => void = () => undefined;
  const allEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const primary = runPrimary({
    cluster,
    count: config.workers,
    logger,
    end(code) {
      exitCode = code;
      ended();
    },
  });
  const kill = () => primary.kill();
  let isStopping = false;
  let cause: StopSignal | undefined;
  const { close: stop } = closeWithGrace(
    { delay: grace + MARGIN_MS, logger: false, skip: [...STOP_SIGNALS], onSecondError: kill, onTimeout: kill },
    async ({ err }) => {
      isStopping = true;
      hasFailed = err !== undefined;
      if (hasFailed) logger.fatal({ err }, 'unexpected failure');
      else logger.info({ signal: cause }, 'stopping');
      primary.stop();
      await allEnded;
    },
  );
  onStopSignals({
    stop(signal) {
      if (isStopping) return;
      cause = signal;
      stop();
    },
    giveUp() {
      kill();
      process.exit(1);
    },
  });
  flush();
  await allEnded;
  close();
  process.exit(hasFailed ? 1 : exitCode);
}

async function work(config: Config, env: Environment, grace: number): Promise<void> {
  const logging = createLogging(config.logLevel, { worker: cluster.worker?.id ?? 0 });
  const peers = createPeerWorkers(process as Channel);
  await serve({ config, env, logging, grace, peers });
  peers.ready();
}
