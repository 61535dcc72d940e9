import { randomBytes } from 'node:crypto';
import type { Argon2Options } from '@baobab/adapters/argon2';
import {
  createMemoryMailer,
  createMemoryNetwork,
  createMemoryPush,
  type MemoryPush,
  type SentMail,
  type SentPush,
} from '@baobab/adapters/memory';
import { smtpMailer } from '@baobab/adapters/smtp';
import { createSystemClock } from '@baobab/adapters/system';
import type {
  AdapterWithSettings,
  AuditSink,
  Blobs,
  Clock,
  Images,
  Logger,
  Mailer,
  Secrets,
  WebhookSender,
} from '@baobab/core';
import type { FastifyInstance } from 'fastify';
import { createApp } from './app.ts';
import { type AdapterOptions, adapters } from './composition/adapters.ts';
import { compose } from './composition/compose.ts';
import {
  type MemoryNetworks,
  type NetworkAdapters,
  type NetworkUrls,
  networkAdapters,
} from './composition/networks.ts';
import { outboundIn } from './composition/outbound.ts';
import { pushAdapters } from './composition/push.ts';
import { type Config, DEFAULT_APP_CODE, parseConfig } from './config.ts';
import type { Extension } from './extensions/index.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createPages } from './pages/pages.ts';

export interface TestBackendOptions {
  /** Like the environment variable `*_URL`; in memory by default. */
  readonly databaseUrl?: string;
  /** Like the environment variable `*_URL`; in memory by default. */
  readonly blobUrl?: string;
  /** Like the environment variable `BACKUP_URL`; none by default. */
  readonly backupUrl?: string;
  /** Values of `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. */
  readonly blobCredentials?: readonly [id: string, secret: string];
  readonly appCode?: string;
  /** Like the environment variable `TRUST_PROXY`; default `off`. */
  readonly trustProxy?: string;
  /** Null to generate one, as at a first start. Default: `admin`. */
  readonly adminPassword?: string | null;
  /** Base URL of links in mails; default `http://localhost`. */
  readonly publicUrl?: string;
  /** Origins whose passkeys are accepted; default that of `publicUrl`. */
  readonly webAuthnOrigins?: readonly string[];
  /** Origins of pages that may embed them; default none. */
  readonly webAuthnTopOrigins?: readonly string[];
  /** True to rate-limit logins, sign-ups and password resets; default false. */
  readonly rateLimit?: boolean;
  /** Parameters of password hashing. The defaults are far cheaper than those that protect real passwords. */
  readonly passwordHashing?: Partial<Argon2Options>;
  /** Like the environment variables `RESIZE_CONCURRENCY`, `MAX_IMAGE_SIDE` and `MAX_IMAGE_PIXELS`, and the memory. */
  readonly imageLimits?: NonNullable<AdapterOptions['imageLimits']>;
  /** Replaces the image adapter (sharp if installed, otherwise WebAssembly). */
  readonly images?: Images;
  /** Like the environment variables of these names, with the same defaults. */
  readonly maxFileBytes?: number;
  readonly maxJsonBytes?: number;
  readonly maxPageBytes?: number;
  readonly maxUnreadBytes?: number;
  readonly maxStreams?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Replaces the blob store of `blobUrl`. */
  readonly blobStore?: Blobs;
  /** Replaces random ids and tokens. */
  readonly secrets?: Secrets;
  /** Replaces the outbox that collects all mail. */
  readonly mailer?: AdapterWithSettings<Mailer>;
  /** Base URLs of social networks. They are called over HTTP instead of the in-memory networks. */
  readonly networkUrls?: NetworkUrls;
  /** Timeout for identifying one person at a social network, in milliseconds; default 5,000. */
  readonly networkTimeLimit?: number;
  /** Additional social networks, by their names in URLs. */
  readonly ownNetworks?: NetworkAdapters;
  /** Replaces the push service that accepts everything. */
  readonly push?: MemoryPush;
  /** Like the environment variable `WEBHOOK_PRIVATE`: true to allow webhooks to private addresses. */
  readonly webhookPrivate?: boolean;
  /**
   * Like the environment variable `OUTBOUND_PRIVATE`, but on by default: the mail servers and OpenID providers of tests
   * run on this machine.
   */
  readonly outboundPrivate?: boolean;
  /** Folder of a built console, served at `/console`; absent to disable the route. */
  readonly consoleFolder?: string;
  /** Replaces the log as the sink of audit events. */
  readonly auditSink?: AuditSink;
  /** Replaces the sender of webhooks. */
  readonly webhookSender?: WebhookSender;
  /** Extensions, as `defineExtension` returns them. */
  readonly extensions?: readonly Extension[];
}

export interface TestBackend {
  /** Fastify instance: `inject` sends requests without a socket, `listen` opens one. */
  readonly app: FastifyInstance;
  readonly appCode: string;
  readonly adminPassword: string;
  /** Sent mail, oldest first. */
  readonly mail: readonly SentMail[];
  /** In-memory social networks. Each accepts the tokens that it issued. */
  readonly networks: MemoryNetworks;
  /** Sent notifications, oldest first. */
  readonly pushed: readonly SentPush[];
  /** Sends the due notifications, webhooks and mails, and calls the handlers of extensions, as a running program does automatically. */
  deliver(): Promise<void>;
  /** Runs the due jobs of extensions, as a running program does automatically. */
  runJobs(): Promise<void>;
  /** Runs the housekeeping, as a running program does regularly. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}

/** Cheap parameters, so that tests do not wait for password hashing. */
const CHEAP_ARGON2 = { memoryCost: 64, timeCost: 1, concurrency: 4, maxWaiting: 10_000 } as const;

const nothing = () => undefined;
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Returns the adapters that the caller supplies. */
const replacedBy = ({ blobStore, secrets, images, webhookSender, auditSink }: TestBackendOptions) => ({
  ...(blobStore === undefined ? {} : { blobStore }),
  ...(secrets === undefined ? {} : { secrets }),
  ...(images === undefined ? {} : { images }),
  ...(webhookSender === undefined ? {} : { webhookSender }),
  ...(auditSink === undefined ? {} : { auditSink }),
});

/** Returns the configuration of a program with these options. */
function configOf(options: TestBackendOptions): Config & { readonly secretKey: string } {
  const { databaseUrl = 'memory:', blobUrl = 'memory:', blobCredentials: [id, secret] = [] } = options;
  const { appCode = DEFAULT_APP_CODE, adminPassword = 'admin', rateLimit = false, publicUrl = null } = options;
  const config = parseConfig({
    DATABASE_URL: databaseUrl,
    BLOB_URL: blobUrl,
    BACKUP_URL: options.backupUrl,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    TRUST_PROXY: options.trustProxy,
  });
  const { maxFileBytes, maxJsonBytes, maxPageBytes, maxUnreadBytes, maxStreams } = { ...config, ...options };
  const { outboundPrivate = true, webhookPrivate = false } = options;
  return {
    ...config,
    maxFileBytes,
    maxJsonBytes,
    maxPageBytes,
    maxUnreadBytes,
    maxStreams,
    appCode,
    adminPassword,
    rateLimit,
    publicUrl,
    outboundPrivate,
    webhookPrivate,
    webAuthnOrigins: options.webAuthnOrigins ?? null,
    webAuthnTopOrigins: options.webAuthnTopOrigins ?? null,
    secretKey: randomBytes(32).toString('base64url'),
    slowMs: 0,
  };
}

/** Returns the extensions of a test; null without any. */
async function extensionsOf({ extensions = [] }: TestBackendOptions, config: Config, logger: Logger) {
  if (extensions.length === 0) return null;
  const { composeExtensions } = await import('./composition/extensions.ts');
  const named = extensions.map((extension, at) => ({
    name: `extension-${at + 1}`,
    path: `extensions[${at}]`,
    extension,
  }));
  return composeExtensions(named, config, logger);
}

/**
 * Creates a complete, ready backend for the tests of another program, with an administrator `admin`. Backends share
 * nothing.
 */
export async function createTestBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  const { logger = silent, clock = createSystemClock() } = options;
  const outbox = createMemoryMailer();
  const push = options.push ?? createMemoryPush();
  const config = configOf(options);
  const { appCode, adminPassword, secretKey } = config;
  const networks = {
    facebook: createMemoryNetwork({ clock }),
    google: createMemoryNetwork({ clock }),
    openid: createMemoryNetwork({ clock }),
  };
  const metrics = createMetrics();
  const extensions = await extensionsOf(options, config, logger);
  const outbound = outboundIn(config);
  const backend = compose(
    adapters({
      config,
      secretKey,
      publicUrl: options.publicUrl ?? 'http://localhost',
      logger,
      gauges: metrics,
      onlyOneConnection: true,
      argon2: { ...CHEAP_ARGON2, ...options.passwordHashing },
      mailer: options.mailer ?? smtpMailer({ ...outbound, outbox }),
      ...replacedBy(options),
      push: pushAdapters({ fcm: null, apns: null }, { clock, proxies: null, sender: push }),
      clock,
      imageLimits: options.imageLimits ?? {},
      extensions,
      networks: {
        ...networkAdapters(options.networkUrls ?? {}, {
          clock,
          outbound,
          ...(options.networkTimeLimit === undefined ? {} : { timeLimit: options.networkTimeLimit }),
          ...(options.networkUrls === undefined ? { memory: networks } : {}),
        }),
        ...options.ownNetworks,
      },
    }),
  );
  const generated = await backend.prepare({ adminPassword });
  await backend.declare(extensions);
  const app = createApp(backend, {
    config,
    env: {},
    logger,
    metrics,
    observers: [metrics],
    extensions,
    pages: createPages({ guide: null, console: options.consoleFolder ?? null, appCode }),
  });
  if (extensions !== null) await app.ready();
  return {
    app,
    appCode,
    adminPassword: adminPassword ?? generated ?? '',
    mail: outbox.sent,
    pushed: push.sent,
    async deliver() {
      for (const lane of backend.pushDelivery.lanes.values()) await lane.run();
      await backend.webhookDelivery.drain();
      await backend.settled();
      await backend.mailDelivery.run();
    },
    async runJobs() {
      await backend.schedules.run();
      await backend.schedules.idle();
    },
    sweep: backend.housekeeping.sweep,
    networks,
    async close() {
      await app.close();
      await extensions?.close();
      await backend.settled();
      await backend.dispose();
    },
  };
}
