import type { Logger } from '@baobab/core';
import { type AppOptions, buildApp, createUnreadAnswers, type Page, type RequestObserver } from '@baobab/http';
import type { FastifyInstance } from 'fastify';
import type { Backend } from './composition/compose.ts';
import { builtInAdministrator } from './composition/operator.ts';
import type { Config, Environment } from './config.ts';
import { createConnections } from './connections/connections.ts';
import type { Extensions } from './extensions/extensions.ts';
import type { MemoryLimits } from './memory-limits.ts';
import type { Metrics } from './metrics/metrics.ts';
import { shownEnvironment } from './shown-environment.ts';

export interface ProgramAppOptions {
  readonly config: Config;
  /** Environment, shown to administrators. */
  readonly env: Environment;
  readonly logger: Logger;
  /** Null disables the metrics route. */
  readonly metrics: Metrics | null;
  readonly observers: readonly RequestObserver[];
  readonly pages: readonly Page[];
  /** Default: `serving`. */
  readonly phase?: AppOptions['phase'];
  /** Rejects if a peer worker on the same port is not serving. Absent without peer workers. */
  readonly peers?: () => Promise<void>;
  /** Absent or null without extensions. */
  readonly extensions?: Extensions | null;
  /** Absent if only the configuration limits memory. */
  readonly memory?: MemoryLimits;
}

/** Creates the HTTP server of the program, without listening. */
export function createApp(backend: Backend, options: ProgramAppOptions): FastifyInstance {
  const {
    config,
    env,
    logger,
    metrics,
    observers,
    pages,
    phase = () => 'serving',
    peers,
    extensions = null,
    memory,
  } = options;
  const { appCode, maxJsonBytes, maxFileBytes, maxPageSize, maxPageBytes, trustProxy } = config;
  const { storage, blobs } = backend;
  const unread = createUnreadAnswers(Math.min(config.maxUnreadBytes, memory?.unread ?? config.maxUnreadBytes));
  metrics?.add({
    name: 'answers_unread_bytes',
    help: 'Large answers that clients have not read yet',
    read: () => unread.bytes,
  });
  metrics?.limitLog(async () => {
    const settings = await backend.settings.current();
    return { level: settings['requests.log.level'], size: settings['requests.log.size'] };
  });
  const app = buildApp(backend, {
    appCode,
    logger,
    connections: createConnections({ keepAliveTimeout: config.keepAliveMs }),
    unread,
    webPages: pages,
    metrics,
    observers,
    maxJsonBytes,
    ...(memory && { maxBodyMemory: memory.bodies }),
    maxFileBytes,
    pages: { maxPageSize, maxPageBytes },
    trustProxy,
    environment: shownEnvironment(env),
    checks: async (actor, only) => {
      const { checkRunning } = await import('./doctor/running.ts');
      return checkRunning({ config, backend }, actor, only);
    },
    phase,
    extensionRoutes: extensions?.routes ?? [],
    ...(extensions && { internalActor: extensions.internalActor }),
    backends: [
      { health: () => storage.health(), silence: 'storage.unavailable' },
      { health: () => blobs.health(), silence: 'blobs.unavailable' },
      ...(peers ? [{ health: peers, silence: 'service.stopping' as const }] : []),
    ],
  });
  if (extensions !== null) {
    extensions.bind({
      app,
      post: backend.post,
      administrator: () => builtInAdministrator(backend),
      settings: backend.settings,
    });
  }
  return app;
}
