import { ARGON2_DEFAULTS, type Argon2Options, createArgon2Passwords } from '@baobab/adapters/argon2';
import { createLogAuditSink } from '@baobab/adapters/audit-log';
import { createImages, type ImageLimits } from '@baobab/adapters/images';
import { createSchemaCompiler } from '@baobab/adapters/json-schema';
import { createMemoryStorage } from '@baobab/adapters/memory';
import { createTotp } from '@baobab/adapters/otpauth';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { smtpMailer } from '@baobab/adapters/smtp';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { createNodeSecrets, createSystemClock, createSystemTimers } from '@baobab/adapters/system';
import { createWebAuthn } from '@baobab/adapters/webauthn';
import { createWebhookSender } from '@baobab/adapters/webhooks';
import { createCommonPasswords } from '@baobab/adapters/zxcvbn';
import {
  type AdapterWithSettings,
  type AuditSink,
  type BackupPlaces,
  type Blobs,
  type Clock,
  type CommonPasswords,
  createGuesses,
  createPasswordForms,
  createRateLimiter,
  type Gauges,
  type Guesses,
  type Hooks,
  type Images,
  type Logger,
  type Mailer,
  NO_HOOKS,
  NO_LIMITS,
  NO_LOCKOUT,
  type OAuthNetworks,
  type OutboundHosts,
  type PasswordForms,
  type PushServices,
  type RateLimiter,
  type ResizingLimits,
  type Restarts,
  type SchemaCompiler,
  type Secrets,
  type SettingGroup,
  type Settings,
  type SignalRelay,
  type Storage,
  type Timers,
  type Totp,
  type WebAuthn,
  type WebhookSender,
} from '@baobab/core';
import type { ContainerModule } from 'inversify';
import type { Config } from '../config.ts';
import type { Extensions } from '../extensions/extensions.ts';
import { createBackupArchives } from './backup-archives.ts';
import { bindAll } from './bind.ts';
import { createBlobs } from './blobs.ts';
import { type NetworkAdapters, networkAdapters } from './networks.ts';
import { outboundHosts, outboundIn } from './outbound.ts';
import { type PushAdapters, pushAdapters } from './push.ts';

export interface AdapterOptions {
  readonly config: Config;
  readonly secretKey: string;
  readonly logger: Logger;
  readonly gauges?: Gauges;
  /** See `PostgresOptions`; for tests. */
  readonly onlyOneConnection?: boolean;
  /** Relay to peer workers on this machine; absent without peers. */
  readonly relay?: SignalRelay;
  /** URL at which browsers reach the server, without a trailing slash. */
  readonly publicUrl: string;
  /** Limits on resizing images, in addition to those of the configuration or in place of them. */
  readonly imageLimits?: Partial<ImageLimits & ResizingLimits>;
  /** Replaces the image adapter (sharp if installed, otherwise WebAssembly). */
  readonly images?: Images;
  readonly argon2?: Partial<Argon2Options>;
  /** Maximum size of the page cache of each connection to SQLite, in bytes; has a default. */
  readonly sqliteCacheBytes?: number;
  /** Replaces SMTP. */
  readonly mailer?: AdapterWithSettings<Mailer>;
  /** Replaces random secrets. */
  readonly secrets?: Secrets;
  /** Restarts the server on the data of an archive; absent or null if it cannot. */
  readonly restarts?: Restarts | null;
  /** Replaces the blob store of the configuration. */
  readonly blobStore?: Blobs;
  /** Replaces the push services. */
  readonly push?: PushAdapters;
  readonly clock?: Clock;
  /** Replaces the log as the sink of audit events. */
  readonly auditSink?: AuditSink;
  /** Replaces the sender of webhooks. */
  readonly webhookSender?: WebhookSender;
  /** Absent or null without extensions. */
  readonly extensions?: Pick<Extensions, 'hooks' | 'senderFor' | 'settings'> | null;
  /** Replaces the real social networks. */
  readonly networks?: NetworkAdapters;
}

/** External dependencies of use cases, by the names that their factories use. */
export interface Adapters {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly backupPlaces: BackupPlaces;
  readonly images: Images;
  readonly resizingLimits: ResizingLimits;
  readonly passwords: PasswordForms;
  readonly commonPasswords: CommonPasswords;
  readonly secrets: Secrets;
  readonly totp: Totp;
  readonly webAuthn: WebAuthn;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly auditSink: AuditSink;
  readonly gauges: Gauges;
  readonly maxStreams: number;
  readonly mailer: Mailer;
  readonly networks: OAuthNetworks;
  readonly outboundHosts: OutboundHosts;
  readonly pushServices: PushServices;
  readonly webhookSender: WebhookSender;
  /** Settings of the adapters and extensions. */
  readonly settingGroups: readonly SettingGroup[];
  readonly limiter: RateLimiter;
  readonly guesses: Guesses;
  readonly schemaCompiler: SchemaCompiler;
  readonly hooks: Hooks;
  readonly publicUrl: string;
}

/** Creates the storage. Register new databases here. */
function createStorage(options: AdapterOptions): Storage {
  const { config, logger, gauges, relay, onlyOneConnection, sqliteCacheBytes } = options;
  const { database, workers: processes, slowMs } = config;
  const watched = { logger, slowMs, ...(gauges && { gauges }) };
  switch (database.kind) {
    case 'memory':
      return createMemoryStorage();
    case 'sqlite':
      return createSqliteStorage({
        path: database.path,
        ...watched,
        ...(relay && { relay }),
        ...(sqliteCacheBytes !== undefined && { cacheBytes: sqliteCacheBytes }),
      });
    case 'postgres':
      return createPostgresStorage({
        ...database,
        processes,
        ...watched,
        ...(onlyOneConnection && { onlyOneConnection }),
      });
  }
}

/** Creates each adapter with its settings. */
function createEach<Port>(
  adapters: Readonly<Record<string, AdapterWithSettings<Port>>>,
  settings: Settings,
): Readonly<Record<string, Port>> {
  return Object.fromEntries(
    Object.entries(adapters).map(([name, adapter]) => [name, adapter.create(settings.source(adapter.settings))]),
  );
}

const closeAll = async (open: Readonly<Record<string, { close(): Promise<void> }>>): Promise<void> => {
  await Promise.all(Object.values(open).map((one) => one.close()));
};

export function adapters(options: AdapterOptions): ContainerModule {
  const { config, secretKey, logger, publicUrl, extensions } = options;
  const { database, backups, maxStreams, rateLimit, webAuthnOrigins, webAuthnTopOrigins, proxies } = config;
  const outbound = outboundIn(config);
  const clock = options.clock ?? createSystemClock();
  const mailer: AdapterWithSettings<Mailer> = options.mailer ?? smtpMailer(outbound);
  const networkUrls = { google: config.googleUrl, facebook: config.facebookUrl };
  const networks = options.networks ?? networkAdapters(networkUrls, { clock, outbound });
  const push = options.push ?? pushAdapters(config.pushUrls, { clock, proxies });
  const configured = [mailer, ...Object.values(networks), ...Object.values(push)].map(({ settings }) => settings);
  const settingGroups = extensions ? [...configured, extensions.settings] : configured;
  const gauges = options.gauges ?? { add: () => undefined };
  const imageLimits = { ...config.imageLimits, ...options.imageLimits };
  return bindAll<Adapters, Adapters & { readonly settings: Settings }>(
    {
      logger: () => logger,
      auditSink: () => options.auditSink ?? createLogAuditSink(logger),
      gauges: () => gauges,
      publicUrl: () => publicUrl,
      clock: () => clock,
      timers: () => createSystemTimers(),
      maxStreams: () => maxStreams,
      secrets: () => options.secrets ?? createNodeSecrets(secretKey, config.previousSecretKey),
      passwords: () => createPasswordForms(createArgon2Passwords({ ...ARGON2_DEFAULTS, ...options.argon2 }, gauges)),
      commonPasswords: () => createCommonPasswords(),
      totp: () => createTotp(),
      webAuthn: () =>
        createWebAuthn({
          publicUrl,
          ...(webAuthnOrigins && { origins: webAuthnOrigins }),
          ...(webAuthnTopOrigins && { topOrigins: webAuthnTopOrigins }),
        }),
      settingGroups: () => settingGroups,
      hooks: () => extensions?.hooks ?? NO_HOOKS,
      schemaCompiler: () => createSchemaCompiler(),
      mailer: ({ settings }) => mailer.create(settings.source(mailer.settings)),
      pushServices: ({ settings }) => createEach(push, settings),
      webhookSender() {
        const { webhookPrivate: allowsPrivate } = config;
        const sender = options.webhookSender ?? createWebhookSender({ allowsPrivate, proxies });
        return extensions?.senderFor(sender) ?? sender;
      },
      storage: () => createStorage(options),
      blobs: () => options.blobStore ?? createBlobs(config.blobs, clock),
      backupPlaces: ({ blobs: bytes }) => ({
        archives: database.kind === 'memory' ? null : createBackupArchives(database, bytes, logger),
        store: backups === null ? null : createBlobs(backups, clock),
        restarts: options.restarts ?? null,
      }),
      resizingLimits: () => imageLimits,
      images: () => options.images ?? createImages(imageLimits, logger),
      networks: ({ settings }) => createEach(networks, settings),
      outboundHosts: () => outboundHosts(outbound),
      limiter: ({ storage, secrets }) =>
        rateLimit ? createRateLimiter({ rateLimits: storage.rateLimits, secrets, clock }) : NO_LIMITS,
      guesses: ({ storage, limiter, settings, secrets }) =>
        rateLimit ? createGuesses({ storage, limiter, settings, secrets, clock }) : NO_LOCKOUT,
    },
    {
      pushServices: closeAll,
      webhookSender: (sender) => sender.close(),
      storage: (storage) => storage.close(),
      blobs: (store) => store.close(),
      backupPlaces: async ({ store }) => store?.close(),
      images: (images) => images.close(),
      commonPasswords: (passwords) => passwords.close(),
      networks: closeAll,
    },
  );
}
