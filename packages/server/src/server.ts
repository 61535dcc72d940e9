import { randomBytes } from 'node:crypto';
import { AppError, HOUSEKEEPING_INTERVAL_MS, type Logger, type Restarts } from '@baobab/core';
import Fastify, { type FastifyInstance } from 'fastify';
import { createAccessLog, type LineWriter } from './access-log.ts';
import { createApp } from './app.ts';
import { type Background, runSchedules, sendMails, sendPushes, sendWebhooks } from './background.ts';
import { adapters } from './composition/adapters.ts';
import { compose } from './composition/compose.ts';
import { type Config, DEFAULT_APP_CODE, type Environment } from './config.ts';
import { findConsole } from './console.ts';
import { warnOfOpenFolders } from './data-folders.ts';
import type { Extensions } from './extensions/extensions.ts';
import { reasonOf } from './faults/explain.ts';
import { createQuietLogger } from './faults/quiet-logger.ts';
import { findGuide } from './guide.ts';
import { availableMemory, memoryLimits } from './memory-limits.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createPages } from './pages/pages.ts';
import { loadSecretKey } from './secret-key.ts';
import { untilAvailable } from './until-available.ts';
import { folderReport } from './watch.ts';
import type { PeerWorkers } from './workers/peer-workers.ts';

export interface ServerOptions {
  readonly config: Config;
  /** See `ServeOptions`. */
  readonly env: Environment;
  readonly logger: Logger;
  readonly accessLog: LineWriter | null;
  /** Shows the administrator's generated password to the operator only, not in the log. */
  readonly showPassword: (password: string) => void;
  /** Aborts a start that waits for its database. */
  readonly signal?: AbortSignal;
  /** Peer workers on the same port; absent without peers. */
  readonly peers?: PeerWorkers;
  /** Restarts the server on restored data; absent if it cannot. */
  readonly restarts?: Restarts;
}

export interface Server {
  /** Address on which it listens. */
  readonly address: string;
  /** True if it serves the administrators' console. */
  readonly hasConsole: boolean;
  /** Stops accepting connections, finishes requests in progress, and closes the databases. */
  stop(): Promise<void>;
}

/** Interval at which idle connections are closed during a stop, in milliseconds. */
const IDLE_CLOSE_MS = 50;
/** Path of the console, if there is one. */
const CONSOLE = '/console';

function secretKeyOf({ secretKey, database, dataDir }: Config, logger: Logger): string {
  if (secretKey !== null) return secretKey;
  if (database.kind === 'memory') return randomBytes(32).toString('base64url'); // sessions do not outlive the process
  if (database.kind === 'postgres') {
    logger.warn({}, 'SECRET_KEY is not set: other nodes on this database will not accept the sessions of this node');
  }
  return loadSecretKey(dataDir);
}

async function listen(app: FastifyInstance, { port, host }: Pick<Config, 'port' | 'host'>): Promise<string> {
  const address = await app.listen({ port, host });
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Serves `/metrics` on a separate port without credentials. This port must not be public. */
async function listenForScrapes(
  metrics: Metrics,
  place: Pick<Config, 'port' | 'host'>,
  logger: Logger,
): Promise<FastifyInstance> {
  const app = Fastify({ logger: false });
  app.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await metrics.render();
    return reply.type(contentType).send(text);
  });
  logger.info({ address: await listen(app, place) }, 'metrics listening');
  return app;
}

/** Loads the extensions. Null without any. @throws `ExtensionError` */
async function extensionsOf({ config, env }: ServerOptions, logger: Logger): Promise<Extensions | null> {
  if (config.extensions.length === 0) return null;
  const { loadAll } = await import('./composition/extensions.ts');
  return loadAll(config, logger, folderReport(env));
}

async function assertAllServe(peers: PeerWorkers): Promise<void> {
  if (!(await peers.allServe())) throw new AppError('service.stopping', { detail: 'not all workers are serving' });
}

/** Starts the server. It responds immediately, with 503 until its storage is ready. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, accessLog, showPassword, peers } = options;
  const reason = (error: unknown) => reasonOf(error, config);
  const logger = createQuietLogger({ logger: options.logger, reasonOf: reason, now: Date.now });
  if (config.appCode === DEFAULT_APP_CODE) {
    logger.warn({}, 'APP_CODE has its well-known default; set your own');
  }
  warnOfOpenFolders(config, logger);
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  const metrics = createMetrics(peers);
  const { tracesUrl } = config;
  const tracing = tracesUrl === null ? null : (await import('./tracing.ts')).createTracing(tracesUrl);
  const extensions = await extensionsOf(options, logger);
  const memory = memoryLimits(availableMemory(), config.workers);
  const backend = compose(
    adapters({
      config,
      secretKey: secretKeyOf(config, logger),
      publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
      logger,
      gauges: metrics,
      ...(peers && { relay: peers.relay }),
      ...(options.restarts && { restarts: options.restarts }),
      imageLimits: memory.images,
      argon2: { concurrency: memory.hashes },
      sqliteCacheBytes: memory.sqliteCache,
      extensions,
    }),
  );
  const app = createApp(backend, {
    config,
    memory,
    env: options.env,
    logger,
    metrics,
    observers: [accessLog && createAccessLog(accessLog, Date.now), metrics, tracing].filter((one) => one !== null),
    pages: createPages({
      guide: findGuide(),
      console: config.console ? findConsole() : null,
      // The default is public knowledge. A custom code must not be embedded in a public page.
      appCode: config.appCode === DEFAULT_APP_CODE ? DEFAULT_APP_CODE : null,
    }),
    phase: () => phase,
    extensions,
    ...(peers && { peers: () => assertAllServe(peers) }),
  });

  const sweeping = setInterval(() => {
    backend.housekeeping.runDue().catch((err: unknown) => logger.warn({ err }, 'housekeeping failed'));
  }, HOUSEKEEPING_INTERVAL_MS);
  sweeping.unref();

  let scraping: FastifyInstance | null = null;
  let sending: readonly Pick<Background, 'stop'>[] = [];

  async function stop(): Promise<void> {
    // Load balancers have to notice before a request could reach a closed port.
    const delay = phase === 'serving' ? config.drainDelayMs : 0;
    phase = 'stopping';
    peers?.stopping();
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    clearInterval(sweeping);
    // Responses in progress have announced keep-alive connections, which would delay the stop.
    const closing = setInterval(() => app.server.closeIdleConnections(), IDLE_CLOSE_MS);
    const stopped = sending.map((one) => one.stop());
    await Promise.all([app.close().finally(() => clearInterval(closing)), ...stopped]);
    await extensions?.close();
    await backend.settled();
    await scraping?.close();
    await tracing?.close().catch((err: unknown) => logger.warn({ err }, 'last traces not sent'));
    await backend.dispose();
  }

  /**
   * Prepares the storage. A stop aborts a migration, or the wait for another node's migration; the next start resumes
   * it.
   */
  async function prepare(): Promise<string | null> {
    const { adminPassword } = config;
    const giveUp = () => void backend.dispose().catch(() => undefined);
    options.signal?.addEventListener('abort', giveUp);
    try {
      return await untilAvailable(() => backend.prepare({ adminPassword }), { ...options, reasonOf: reason });
    } finally {
      options.signal?.removeEventListener('abort', giveUp);
    }
  }

  try {
    const address = await listen(app, config);
    const { metricsPort } = config;
    if (metricsPort !== null) {
      scraping = await listenForScrapes(metrics, { ...config, port: metricsPort }, logger);
      await metrics.load();
    }
    const password = await prepare();
    if (password !== null) showPassword(password);
    await backend.declare(extensions);
    phase = 'serving';
    sending = [
      sendPushes(backend.pushDelivery, logger),
      sendWebhooks(backend.webhookDelivery, logger),
      sendMails(backend.mailDelivery, logger),
      runSchedules(backend.schedules, logger),
    ];
    logger.info({ address, database: config.database.kind, blobs: config.blobs.kind }, 'ready');
    return { address, hasConsole: app.hasRoute({ method: 'GET', url: CONSOLE }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
