import { randomBytes } from 'node:crypto';
import { AppError, HOUSEKEEPING_INTERVAL_MS, type Logger } from '@baobab/core';
import { buildApp, type LineWriter } from '@baobab/http';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Background, sendPushes } from './background.ts';
import { adapters } from './composition/adapters.ts';
import { compose } from './composition/compose.ts';
import { type Config, DEFAULT_APP_CODE } from './config.ts';
import { warnOfOpenFolders } from './data-folders.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { keptSecretKey } from './secret-key.ts';
import { untilAvailable } from './until-available.ts';
import type { Colleagues } from './workers/colleagues.ts';

export interface ServerOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly accessLog: LineWriter | null;
  /** Shows one line to the operator and nobody else. */
  readonly print: (line: string) => void;
  /** Gives a start up that waits for its database. */
  readonly signal?: AbortSignal;
  /** Other processes that serve on the same port; absent: there are none. */
  readonly colleagues?: Colleagues;
}

export interface Server {
  /** Where it listens. */
  readonly address: string;
  /** Stops accepting, finishes what runs, lets go of the databases. */
  stop(): Promise<void>;
}

/** Connections that have become idle while the service stops are closed so often. Milliseconds. */
const IDLE_CLOSE_MS = 50;

function secretKeyOf({ secretKey, database, dataDir }: Config, logger: Logger): string {
  if (secretKey !== null) return secretKey;
  if (database.kind === 'memory') return randomBytes(32).toString('base64url'); // nothing outlives the process
  if (database.kind === 'postgres') {
    logger.warn({}, 'SECRET_KEY is not set: other nodes on this database will not accept the sessions of this one');
  }
  return keptSecretKey(dataDir);
}

async function listen(app: FastifyInstance, { port, host }: Pick<Config, 'port' | 'host'>): Promise<string> {
  const address = await app.listen({ port, host });
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** `/metrics` on a port of its own, which is not for everybody to reach: it asks for no credentials. */
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
  logger.info({ address: await listen(app, place) }, 'metrics');
  return app;
}

async function assertAllServe(colleagues: Colleagues): Promise<void> {
  if (!(await colleagues.allServe())) throw new AppError('service.stopping', { detail: 'not all workers serve' });
}

/** Starts the service: it answers at once, with 503 until its storage is ready. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, logger, accessLog, print, colleagues } = options;
  if (config.appCode === DEFAULT_APP_CODE) {
    logger.warn({}, 'APP_CODE is the default that everybody knows; set your own');
  }
  warnOfOpenFolders(config, logger);
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  const metrics = createMetrics(colleagues);
  const { tracesUrl } = config;
  const tracing = tracesUrl === null ? null : (await import('./tracing.ts')).createTracing(tracesUrl);
  const backend = compose(
    adapters({
      gauges: metrics,
      ...(colleagues && { relay: colleagues.relay }),
      slowMs: config.slowMs,
      database: config.database,
      blobs: config.blobs,
      secretKey: secretKeyOf(config, logger),
      publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
      rateLimit: config.rateLimit,
      imageLimits: config.imageLimits,
      networkUrls: { google: config.googleUrl, facebook: config.facebookUrl },
      pushUrls: config.pushUrls,
      logger,
    }),
  );
  const app = buildApp(backend.services, {
    metrics,
    tracing,
    appCode: config.appCode,
    logger,
    accessLog,
    maxJsonBytes: config.maxJsonBytes,
    maxFileBytes: config.maxFileBytes,
    maxPageSize: config.maxPageSize,
    trustProxy: config.trustProxy,
    phase: () => phase,
    ...(colleagues && { colleagues: () => assertAllServe(colleagues) }),
  });

  const sweeping = setInterval(() => {
    backend.housekeeping.runDue().catch((err: unknown) => logger.warn({ err }, 'what has expired was not removed'));
  }, HOUSEKEEPING_INTERVAL_MS);
  sweeping.unref();

  let scraping: FastifyInstance | null = null;
  let pushing: Pick<Background, 'stop'> | null = null;

  async function stop(): Promise<void> {
    // Who balances the load is to notice before a request could meet a closed port.
    const delay = phase === 'serving' ? config.drainDelayMs : 0;
    phase = 'stopping';
    colleagues?.stopping();
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    clearInterval(sweeping);
    // What was under way has promised to keep its connection, and would hold up the stop with it.
    const closing = setInterval(() => app.server.closeIdleConnections(), IDLE_CLOSE_MS);
    await Promise.all([app.close().finally(() => clearInterval(closing)), pushing?.stop()]);
    await scraping?.close();
    await tracing?.close().catch((err: unknown) => logger.warn({ err }, 'the last traces were not sent'));
    await backend.dispose();
  }

  /** Who stops it while it migrates or waits for others who do need not wait as well: the next start goes on. */
  async function prepare(): Promise<string | null> {
    const { adminPassword } = config;
    const giveUp = () => void backend.dispose().catch(() => undefined);
    options.signal?.addEventListener('abort', giveUp);
    try {
      return await untilAvailable(() => backend.prepare({ adminPassword }), options);
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
    if (password !== null) print(`The administrator "admin" was created with the password ${password}`);
    phase = 'serving';
    pushing = sendPushes(backend.pushDelivery, logger);
    logger.info({ address, database: config.database.kind, blobs: config.blobs.kind }, 'ready');
    return { address, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
