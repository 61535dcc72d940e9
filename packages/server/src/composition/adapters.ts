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
  DEFAULT_MAX_IMAGE_PIXELS,
  DEFAULT_MAX_IMAGE_SIDE,
  DEFAULT_MAX_STREAMS,
  DEFAULT_RESIZE_CONCURRENCY,
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
import type { BlobConfig, DatabaseConfig } from '../config.ts';
import { createBackupArchives } from './backup-archives.ts';
import { bindAll } from './bind.ts';
import { createBlobs } from './blobs.ts';
import { type NetworkAdapters, type NetworkUrls, networkAdapters } from './networks.ts';
import { type Outbound, outboundHosts } from './outbound.ts';
import { type PushAdapters, type PushUrls, pushAdapters } from './push.ts';

export interface AdapterOptions {
  readonly database: DatabaseConfig;
  /** Number of processes of this node. 1 by default. */
  readonly processes?: number;
  readonly blobs: BlobConfig;
  readonly secretKey: string;
  /** Secret key before a change, still accepted; absent or null without one. */
  readonly previousSecretKey?: string | null;
  readonly logger: Logger;
  /** Minimum duration of logged statements, in milliseconds; 0 or absent for none. */
  readonly slowMs?: number;
  readonly gauges?: Gauges;
  /** See `PostgresOptions`; for tests. */
  readonly onlyOneConnection?: boolean;
  /** Relay to peer workers on this machine; absent without peers. */
  readonly relay?: SignalRelay;
  /** URL at which browsers reach the server, without a trailing slash. */
  readonly publicUrl: string;
  /** Origins whose passkeys are accepted; absent or null for that of `publicUrl`. */
  readonly webAuthnOrigins?: readonly string[] | null;
  /** Origins of pages that may embed them; absent or null for none. */
  readonly webAuthnTopOrigins?: readonly string[] | null;
  /** True (default) to rate-limit attempts. */
  readonly rateLimit?: boolean;
  /** Limits on resizing images, each with a default. */
  readonly imageLimits?: Partial<ImageLimits & ResizingLimits>;
  /** Maximum change streams per process; has a default. */
  readonly maxStreams?: number;
  /** Replaces the image adapter (sharp if installed, otherwise WebAssembly). */
  readonly images?: Images;
  readonly argon2?: Partial<Argon2Options>;
  /** Maximum size of the page cache of each connection to SQLite, in bytes; has a default. */
  readonly sqliteCacheBytes?: number;
  /** Replaces SMTP. */
  readonly mailer?: AdapterWithSettings<Mailer>;
  /** Replaces random secrets. */
  readonly secrets?: Secrets;
  /** Store of backups on a schedule; absent or null without one. */
  readonly backups?: BlobConfig | null;
  /** Restarts the server on the data of an archive; absent or null if it cannot. */
  readonly restarts?: Restarts | null;
  /** Replaces the blob store of `blobs`. */
  readonly blobStore?: Blobs;
  /** Base URLs of the push services, by default the real ones. */
  readonly pushUrls?: PushUrls;
  /** Replaces the push services. */
  readonly push?: PushAdapters;
  readonly clock?: Clock;
  /** Replaces the log as the sink of audit events. */
  readonly auditSink?: AuditSink;
  /** Access to addresses that administrators configure. Absent: direct connections to public addresses only. */
  readonly outbound?: Outbound;
  /** True to allow webhooks to private addresses; default false. */
  readonly webhookPrivate?: boolean;
  /** Replaces the sender of webhooks. */
  readonly webhookSender?: WebhookSender;
  /** Functions of extensions that run before writes; default none. */
  readonly hooks?: Hooks;
  /** Settings of extensions; none if absent. */
  readonly extensionSettings?: SettingGroup;
  /** Wraps the sender of webhooks, for handlers of extensions; default unchanged. */
  readonly senderFor?: (sender: WebhookSender) => WebhookSender;
  /** Base URLs of the social networks, by default the real ones. */
  readonly networkUrls?: NetworkUrls;
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
  const { database, processes = 1, logger, slowMs = 0, gauges, relay, onlyOneConnection, sqliteCacheBytes } = options;
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

const DEFAULT_IMAGE_LIMITS: ImageLimits & ResizingLimits = {
  concurrency: DEFAULT_RESIZE_CONCURRENCY,
  maxSide: DEFAULT_MAX_IMAGE_SIDE,
  maxPixels: DEFAULT_MAX_IMAGE_PIXELS,
};

const DIRECT: Outbound = { allowsPrivate: false, allowsPlaintextAuth: false, proxies: null };

export function adapters(options: AdapterOptions): ContainerModule {
  const { blobs, secretKey, logger, publicUrl, rateLimit = true, outbound = DIRECT } = options;
  const { proxies } = outbound;
  const clock = options.clock ?? createSystemClock();
  const mailer: AdapterWithSettings<Mailer> = options.mailer ?? smtpMailer(outbound);
  const networks = options.networks ?? networkAdapters(options.networkUrls ?? {}, { clock, outbound });
  const push = options.push ?? pushAdapters(options.pushUrls ?? { fcm: null, apns: null }, { clock, proxies });
  const configured = [mailer, ...Object.values(networks), ...Object.values(push)].map(({ settings }) => settings);
  const { extensionSettings } = options;
  const settingGroups = extensionSettings === undefined ? configured : [...configured, extensionSettings];
  const gauges = options.gauges ?? { add: () => undefined };
  const imageLimits = { ...DEFAULT_IMAGE_LIMITS, ...options.imageLimits };
  return bindAll<Adapters, Adapters & { readonly settings: Settings }>(
    {
      logger: () => logger,
      auditSink: () => options.auditSink ?? createLogAuditSink(logger),
      gauges: () => gauges,
      publicUrl: () => publicUrl,
      clock: () => clock,
      timers: () => createSystemTimers(),
      maxStreams: () => options.maxStreams ?? DEFAULT_MAX_STREAMS,
      secrets: () => options.secrets ?? createNodeSecrets(secretKey, options.previousSecretKey ?? null),
      passwords: () => createPasswordForms(createArgon2Passwords({ ...ARGON2_DEFAULTS, ...options.argon2 }, gauges)),
      commonPasswords: () => createCommonPasswords(),
      totp: () => createTotp(),
      webAuthn: () =>
        createWebAuthn({
          publicUrl,
          ...(options.webAuthnOrigins && { origins: options.webAuthnOrigins }),
          ...(options.webAuthnTopOrigins && { topOrigins: options.webAuthnTopOrigins }),
        }),
      settingGroups: () => settingGroups,
      hooks: () => options.hooks ?? NO_HOOKS,
      schemaCompiler: () => createSchemaCompiler(),
      mailer: ({ settings }) => mailer.create(settings.source(mailer.settings)),
      pushServices: ({ settings }) => createEach(push, settings),
      webhookSender() {
        const { webhookPrivate: allowsPrivate = false, senderFor = (sender) => sender } = options;
        return senderFor(options.webhookSender ?? createWebhookSender({ allowsPrivate, proxies }));
      },
      storage: () => createStorage(options),
      blobs: () => options.blobStore ?? createBlobs(blobs, clock),
      backupPlaces: ({ blobs: bytes }) => ({
        archives: options.database.kind === 'memory' ? null : createBackupArchives(options.database, bytes, logger),
        store: options.backups ? createBlobs(options.backups, clock) : null,
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
