import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import { type EnvironmentReport, logEnvironment } from '../environment.ts';
import { createLogging } from '../logging.ts';
import { type ServeOptions, serve } from '../serve.ts';
import { onStopSignals, STOP_SIGNALS, type StopSignal } from '../stop-signals.ts';
import { type Channel, createPeerWorkers } from './peer-workers.ts';
import { runPrimary } from './primary.ts';

/** Time that workers need beyond their own limit, in milliseconds. */
const MARGIN_MS = 1_000;

/** Id of the worker that prepares the database and creates the administrator. */
const FIRST_WORKER = 1;

type Options = Pick<ServeOptions, 'config' | 'env' | 'grace' | 'terminal'> & {
  readonly environment: EnvironmentReport;
};

/** Serves with several worker processes. `grace` is the maximum duration of a stop of each. */
export async function serveWithWorkers(options: Options): Promise<void> {
  if (cluster.isPrimary) await lead(options);
  else await work(options);
}

async function lead({ config, grace, terminal, environment }: Options): Promise<void> {
  const { logger, flush, close } = createLogging(config.logLevel, { terminal });
  logEnvironment(environment, logger);
  // Workers accept connections themselves. If the primary distributed them, a connection on its way to a worker that
  // dies would hang forever: nothing would close or answer it.
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
  await close();
  process.exit(hasFailed ? 1 : exitCode);
}

async function work({ config, env, grace, terminal }: Options): Promise<void> {
  const worker = cluster.worker?.id ?? 0;
  const logging = createLogging(config.logLevel, { base: { worker }, terminal });
  const peers = createPeerWorkers(process as Channel);
  await serve({ config, env, logging, grace, terminal, peers, hasBanner: worker === FIRST_WORKER });
  peers.ready();
}
