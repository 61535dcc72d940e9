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
import type { AdapterWithSettings, Blobs, Clock, Images, Logger, Mailer, Secrets } from '@baobab/core';
import { buildApp } from '@baobab/http';
import type { FastifyInstance } from 'fastify';
import { type AdapterOptions, adapters } from './composition/adapters.ts';
import { compose } from './composition/compose.ts';
import {
  type MemoryNetworks,
  type NetworkAdapters,
  type NetworkUrls,
  networkAdapters,
} from './composition/networks.ts';
import { pushAdapters } from './composition/push.ts';
import { DEFAULT_APP_CODE, parseConfig } from './config.ts';
import { createMetrics } from './metrics/metrics.ts';

export interface TestBackendOptions {
  /** As the variable of that name; everything in memory when absent. */
  readonly databaseUrl?: string;
  /** As the variable of that name; everything in memory when absent. */
  readonly blobUrl?: string;
  /** What `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` would be. */
  readonly blobCredentials?: readonly [id: string, secret: string];
  readonly appCode?: string;
  readonly adminPassword?: string;
  /** Where links in mails lead; `http://localhost` when absent. */
  readonly publicUrl?: string;
  /** Whether attempts to log in, sign up and reset passwords are limited; they are not when absent. */
  readonly rateLimit?: boolean;
  /** How passwords are hashed where that matters: far cheaper than what protects real ones when absent. */
  readonly passwordHashing?: Partial<Argon2Options>;
  /** As `RESIZE_CONCURRENCY`, `MAX_IMAGE_SIDE` and `MAX_IMAGE_PIXELS`. */
  readonly imageLimits?: NonNullable<AdapterOptions['imageLimits']>;
  /** Instead of sharp, or what there is without it. */
  readonly images?: Images;
  /** As the variables of these names; their defaults when absent. */
  readonly maxFileBytes?: number;
  readonly maxJsonBytes?: number;
  readonly maxPageBytes?: number;
  readonly maxUnreadBytes?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Instead of what `blobUrl` names. */
  readonly blobStore?: Blobs;
  /** Instead of random ids and tokens. */
  readonly secrets?: Secrets;
  /** Instead of the outbox that keeps all mail. */
  readonly mailer?: AdapterWithSettings<Mailer>;
  /** Where social networks are: they are asked over HTTP then, instead of those in memory. */
  readonly networkUrls?: NetworkUrls;
  /** Social networks of your own, by their names in URLs, beside the built-in ones. */
  readonly ownNetworks?: NetworkAdapters;
  /** Instead of the push service that takes everything. */
  readonly push?: MemoryPush;
}

export interface TestBackend {
  /** Fastify's own instance: `inject` sends requests without a socket, `listen` opens one. */
  readonly app: FastifyInstance;
  readonly appCode: string;
  readonly adminPassword: string;
  /** The mail that was sent, oldest first. */
  readonly mail: readonly SentMail[];
  /** The social networks in memory: each vouches for the tokens that it issued. */
  readonly networks: MemoryNetworks;
  /** The notifications that were sent, oldest first. */
  readonly pushed: readonly SentPush[];
  /** Sends the notifications that are due, as a running program does by itself. */
  deliver(): Promise<void>;
  /** Removes what has expired, as a running program does from time to time. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}

/** So that tests do not wait for it. */
const CHEAP_ARGON2 = { memoryCost: 1024, timeCost: 1, concurrency: 4, maxWaiting: 10_000 } as const;

const nothing = () => undefined;
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * A whole backend inside the tests of another program, ready to serve, with an administrator `admin`. Nothing is
 * shared between two of them.
 */
export async function createTestBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  const {
    databaseUrl = 'memory:',
    blobUrl = 'memory:',
    blobCredentials: [id, secret] = [],
    appCode = DEFAULT_APP_CODE,
    adminPassword = 'admin',
    logger = silent,
    clock = createSystemClock(),
  } = options;
  const outbox = createMemoryMailer();
  const push = options.push ?? createMemoryPush();
  const { database, blobs } = parseConfig({
    DATABASE_URL: databaseUrl,
    BLOB_URL: blobUrl,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
  });
  const networks = {
    facebook: createMemoryNetwork({ clock }),
    google: createMemoryNetwork({ clock }),
    openid: createMemoryNetwork({ clock }),
  };
  const backend = compose(
    adapters({
      database,
      blobs,
      logger,
      secretKey: randomBytes(32).toString('base64url'),
      argon2: { ...CHEAP_ARGON2, ...options.passwordHashing },
      publicUrl: options.publicUrl ?? 'http://localhost',
      rateLimit: options.rateLimit ?? false,
      mailer: options.mailer ?? smtpMailer({ outbox }),
      ...(options.blobStore === undefined ? {} : { blobStore: options.blobStore }),
      push: pushAdapters({ fcm: null, apns: null }, clock, push),
      clock,
      ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
      imageLimits: options.imageLimits ?? {},
      ...(options.images === undefined ? {} : { images: options.images }),
      networks: {
        ...networkAdapters(options.networkUrls ?? {}, clock, options.networkUrls === undefined ? networks : undefined),
        ...options.ownNetworks,
      },
    }),
  );
  await backend.prepare({ adminPassword });
  const { maxFileBytes, maxJsonBytes, maxPageBytes, maxUnreadBytes } = options;
  const app = buildApp(backend.services, {
    appCode,
    logger,
    metrics: createMetrics(),
    ...(maxFileBytes === undefined ? {} : { maxFileBytes }),
    ...(maxJsonBytes === undefined ? {} : { maxJsonBytes }),
    ...(maxPageBytes === undefined ? {} : { maxPageBytes }),
    ...(maxUnreadBytes === undefined ? {} : { maxUnreadBytes }),
  });
  return {
    app,
    appCode,
    adminPassword,
    mail: outbox.sent,
    pushed: push.sent,
    async deliver() {
      for (const lane of backend.pushDelivery.lanes.values()) await lane.run();
    },
    sweep: backend.housekeeping.sweep,
    networks,
    async close() {
      await app.close();
      await backend.dispose();
    },
  };
}
