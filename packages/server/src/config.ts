import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { withPostgresVariables } from './composition/postgres-url.ts';
import { type BlobUrl, parseBlobUrl } from './config/blob-url.ts';
import { ConfigError } from './config/config-error.ts';
import { type DatabaseUrl, faultOf, parseDatabaseUrl, parseReadUrls } from './config/database-url.ts';
import { type Environment, readEnvironment } from './config/environment.ts';
import { parseOrigins } from './config/origins.ts';
import { proxiesOf } from './config/proxies.ts';
import { parseTrustProxy } from './config/trust-proxy.ts';
import { AUTO, VARIABLES, type Values } from './config/variables.ts';

export { ConfigError } from './config/config-error.ts';
export type { Environment } from './config/environment.ts';
export { VARIABLES } from './config/variables.ts';

export type DatabaseConfig =
  | Exclude<DatabaseUrl, { kind: 'postgres' }>
  | (Extract<DatabaseUrl, { kind: 'postgres' }> & {
      readonly connections: number;
      /** Direct connection for notifications and locks; null if `url` is direct. */
      readonly listenUrl: string | null;
      /** Replicas that lists may be read from. */
      readonly readUrls: readonly string[];
    });

export type S3Config = Omit<Extract<BlobUrl, { kind: 's3' }>, 'region'> & {
  readonly region: string;
  /** Null for the default credential chain of the S3 client. */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    /** For temporary keys. */
    readonly sessionToken?: string;
  } | null;
  /** Null for direct connections. */
  readonly proxies: ReturnType<typeof proxiesOf>;
};

export type BlobConfig = Exclude<BlobUrl, { kind: 's3' }> | S3Config;

export const DEFAULT_APP_CODE = VARIABLES.APP_CODE.default;

function databaseOf(
  { DATABASE_URL, DATABASE_LISTEN_URL, DATABASE_READ_URL, DATABASE_CONNECTIONS, DATA_DIR }: Values,
  env: Environment,
): DatabaseConfig {
  const database = DATABASE_URL === VARIABLES.DATABASE_URL.default ? null : parseDatabaseUrl(DATABASE_URL);
  if (database === null) return { kind: 'sqlite', path: join(DATA_DIR, 'baobab.db') };
  if (database.kind !== 'postgres') return database;
  const readUrls = DATABASE_READ_URL === undefined ? [] : (parseReadUrls(DATABASE_READ_URL) ?? []);
  const completed = (url: string) => withPostgresVariables(url, env);
  return {
    kind: 'postgres',
    url: completed(database.url),
    listenUrl: DATABASE_LISTEN_URL === undefined ? null : completed(DATABASE_LISTEN_URL),
    readUrls: readUrls.map(completed),
    connections: DATABASE_CONNECTIONS,
  };
}

const DEFAULT_REGION = 'us-east-1';

/** Adds the keys and the region of the environment to a bucket. */
function withAws(bucket: Extract<BlobUrl, { kind: 's3' }>, values: Values): S3Config {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = values;
  const isComplete = accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    ...bucket,
    region: bucket.region ?? values.AWS_REGION ?? values.AWS_DEFAULT_REGION ?? DEFAULT_REGION,
    credentials: isComplete
      ? { accessKeyId, secretAccessKey, ...(token === undefined ? {} : { sessionToken: token }) }
      : null,
    proxies: proxiesOf(values),
  };
}

/**
 * Parses the URL of a bucket other than `BLOB_URL`, and adds the keys and the region of the environment. Null if it is
 * not a bucket URL.
 */
export function parseBucket(url: string, env: Environment): S3Config | null {
  const bucket = parseBlobUrl(url);
  return bucket?.kind === 's3' ? withAws(bucket, readEnvironment(env).values) : null;
}

function blobsOf(values: Values): BlobConfig {
  const { BLOB_URL, DATA_DIR } = values;
  const blobs = BLOB_URL === VARIABLES.BLOB_URL.default ? null : parseBlobUrl(BLOB_URL);
  if (blobs === null) return { kind: 'file', path: join(DATA_DIR, 'blobs') };
  return blobs.kind === 's3' ? withAws(blobs, values) : blobs;
}

function backupsOf(values: Values): BlobConfig | null {
  const place = values.BACKUP_URL === undefined ? null : parseBlobUrl(values.BACKUP_URL);
  return place?.kind === 's3' ? withAws(place, values) : place;
}

function urlsOf({ url, listenUrl, readUrls }: Extract<DatabaseConfig, { kind: 'postgres' }>) {
  return [
    { name: 'DATABASE_URL', url },
    ...(listenUrl === null ? [] : [{ name: 'DATABASE_LISTEN_URL', url: listenUrl }]),
    ...readUrls.map((one) => ({ name: 'DATABASE_READ_URL', url: one })),
  ];
}

/** Returns the problems of the Postgres connection URLs. */
function problemsOfUrls(values: Values, database: DatabaseConfig): string[] {
  if (database.kind !== 'postgres') {
    return (['DATABASE_LISTEN_URL', 'DATABASE_READ_URL'] as const)
      .filter((name) => values[name] !== undefined)
      .map((name) => `${name} needs a DATABASE_URL of Postgres`);
  }
  return urlsOf(database).flatMap(({ name, url }) => {
    const fault = faultOf(url);
    return fault === null ? [] : [`${name} cannot be used: ${fault}`];
  });
}

/** Returns the problems of variables that are valid, but conflict with each other. */
function* conflicts(
  values: Values,
  { workers, database, blobs, backups, port, metricsPort }: Config,
): Generator<string> {
  const missing = (['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const).filter(
    (name) => values[name] === undefined,
  );
  if ((blobs.kind === 's3' || backups?.kind === 's3') && missing.length === 1)
    yield `${missing[0]} must be set if the other AWS key is set`;
  if (blobs.kind === 's3' && values.AWS_SESSION_TOKEN !== undefined && missing.length === 2) {
    yield 'AWS_SESSION_TOKEN has no effect without AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  }
  if (values.SECRET_KEY !== undefined && values.SECRET_KEY === values.SECRET_KEY_PREVIOUS) {
    yield 'SECRET_KEY_PREVIOUS must be another key than SECRET_KEY';
  }
  if (metricsPort !== null && metricsPort === port && port !== 0) yield 'METRICS_PORT must be another port than PORT';
  yield* problemsOfUrls(values, database);
  const unshared = database.kind === 'memory' ? 'DATABASE_URL' : blobs.kind === 'memory' ? 'BLOB_URL' : null;
  if (workers > 1 && unshared !== null) {
    yield `WORKERS must be 1 because ${unshared} is memory:, which processes cannot share`;
  }
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');
const baseUrl = (url: string | undefined) => (url === undefined ? null : withoutSlash(url));

export type Config = Readonly<ReturnType<typeof configOf>>;

/** Converts the variables that `VARIABLES` describes. Variables without a value are null. */
function configOf(values: Values, env: Environment) {
  return {
    port: values.PORT,
    host: values.HOST,
    workers: values.WORKERS === AUTO ? availableParallelism() : values.WORKERS,
    drainDelayMs: values.DRAIN_DELAY_MS,
    keepAliveMs: values.KEEP_ALIVE_SECONDS * 1000,
    metricsPort: values.METRICS_PORT ?? null,
    dataDir: values.DATA_DIR,
    database: databaseOf(values, env),
    blobs: blobsOf(values),
    backups: backupsOf(values),
    appCode: values.APP_CODE,
    adminPassword: values.ADMIN_PASSWORD ?? null,
    secretKey: values.SECRET_KEY ?? null,
    previousSecretKey: values.SECRET_KEY_PREVIOUS ?? null,
    publicUrl: baseUrl(values.PUBLIC_URL),
    webAuthnOrigins: values.WEBAUTHN_ORIGINS === undefined ? null : parseOrigins(values.WEBAUTHN_ORIGINS),
    webAuthnTopOrigins: values.WEBAUTHN_TOP_ORIGINS === undefined ? null : parseOrigins(values.WEBAUTHN_TOP_ORIGINS),
    googleUrl: withoutSlash(values.OAUTH_GOOGLE_URL),
    facebookUrl: withoutSlash(values.OAUTH_FACEBOOK_URL),
    pushUrls: { fcm: baseUrl(values.PUSH_FCM_URL), apns: baseUrl(values.PUSH_APNS_URL) },
    webhookPrivate: values.WEBHOOK_PRIVATE === 'on',
    outboundPrivate: values.OUTBOUND_PRIVATE === 'on',
    smtpPlaintextAuth: values.SMTP_PLAINTEXT_AUTH === 'on',
    proxies: proxiesOf(values),
    console: values.CONSOLE === 'on',
    rateLimit: values.RATE_LIMIT === 'on',
    logLevel: values.LOG_LEVEL,
    imageLimits: {
      concurrency: values.RESIZE_CONCURRENCY,
      maxSide: values.MAX_IMAGE_SIDE,
      maxPixels: values.MAX_IMAGE_PIXELS,
    },
    slowMs: values.SLOW_QUERY_MS,
    tracesUrl: baseUrl(values.OTEL_EXPORTER_OTLP_ENDPOINT),
    trustProxy: parseTrustProxy(values.TRUST_PROXY) ?? 0,
    maxJsonBytes: values.MAX_JSON_BYTES,
    maxFileBytes: values.MAX_FILE_BYTES,
    maxPageSize: values.MAX_PAGE_SIZE,
    maxPageBytes: values.MAX_PAGE_BYTES,
    maxUnreadBytes: values.MAX_UNREAD_BYTES,
    maxStreams: values.MAX_STREAMS,
    extensions: (values.EXTENSIONS ?? '')
      .split(',')
      .map((path) => path.trim())
      .filter((path) => path !== ''),
  };
}

/** Parses the environment. @throws `ConfigError` with all problems */
export function parseConfig(env: Environment): Config {
  const { values, problems } = readEnvironment(env);
  const config = configOf(values, env);
  const all = [...problems, ...conflicts(values, config)];
  if (all.length > 0) throw new ConfigError(all);
  return config;
}
