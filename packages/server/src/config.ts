import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BLOB_URL_FORMS, type BlobConfig, parseBlobUrl } from './blob-url.ts';

export type { BlobConfig } from './blob-url.ts';

export type DatabaseConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly connections: number };

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Number of worker processes. */
  readonly workers: number;
  /** Milliseconds between `/health/ready` turning 503 and closing the port. */
  readonly drainDelayMs: number;
  /** Port that serves metrics without credentials; null: none. */
  readonly metricsPort: number | null;
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  readonly blobs: BlobConfig;
  readonly appCode: string;
  /** Null: generated at the first start. */
  readonly adminPassword: string | null;
  /** Null: generated once and kept in the data folder. */
  readonly secretKey: string | null;
  /** Base URLs that replace those of the push services, without a trailing slash; null: the real ones. */
  readonly pushUrls: { readonly fcm: string | null; readonly apns: string | null };
  /** The URL at which browsers reach the service, without a trailing slash; null: not configured. */
  readonly publicUrl: string | null;
  readonly logLevel: LogLevel;
  /** Whether logins, sign-ups and password resets are rate-limited. */
  readonly rateLimit: boolean;
  /** Base URLs of Google and Facebook, without a trailing slash. */
  readonly googleUrl: string;
  readonly facebookUrl: string;
  /** Limits on resizing images. */
  readonly imageLimits: {
    /** Images resized at the same time. */
    readonly concurrency: number;
    /** Largest side of a resized image, in pixels. */
    readonly maxSide: number;
    /** Largest image that is decoded, in pixels. */
    readonly maxPixels: number;
  };
  /** The OTLP endpoint for traces, without a trailing slash; null: none. */
  readonly tracesUrl: string | null;
  readonly trustProxy: boolean;
  /** Statements that take at least this many milliseconds are logged; 0: none. */
  readonly slowMs: number;
  readonly maxJsonBytes: number;
  readonly maxFileBytes: number;
  readonly maxPageSize: number;
  readonly maxPageBytes: number;
  readonly maxUnreadBytes: number;
}

export const DEFAULT_APP_CODE = '1234567890';

/** The environment variables. `docs/configuration.md` lists the same ones, which a test checks. */
export const VARIABLES = {
  PORT: { default: '9000', meaning: 'Port to listen on; 0 chooses a free one' },
  HOST: { default: '0.0.0.0', meaning: 'Address to listen on' },
  WORKERS: { default: '1', meaning: 'Processes that serve together on the port; `auto` for one per core' },
  DRAIN_DELAY_MS: {
    default: '0',
    meaning: 'On shutdown, milliseconds between `/health/ready` turning 503 and closing the port',
  },
  METRICS_PORT: { default: '', meaning: 'Port that serves `/metrics` without credentials; none when empty' },
  DATA_DIR: { default: './data', meaning: 'Folder of the embedded database, the files and the generated secret key' },
  DATABASE_URL: { default: 'sqlite:<DATA_DIR>/baobab.db', meaning: '`memory:`, `sqlite:<path>` or `postgres://…`' },
  DATABASE_CONNECTIONS: { default: '10', meaning: 'Connections to Postgres per process, 1 to 500' },
  BLOB_URL: {
    default: 'file:<DATA_DIR>/blobs',
    meaning: '`memory:`, `file:<path>` or `s3://bucket/prefix?endpoint=…&region=…`',
  },
  AWS_ACCESS_KEY_ID: {
    default: '',
    meaning: 'Access key for S3; when empty, credentials come from where Amazon’s tools look',
  },
  AWS_SECRET_ACCESS_KEY: { default: '', meaning: 'Secret key that belongs to it' },
  APP_CODE: { default: DEFAULT_APP_CODE, meaning: 'Application code that every client sends' },
  ADMIN_PASSWORD: { default: '', meaning: 'Password of `admin` at the first start; generated and printed when empty' },
  SECRET_KEY: {
    default: '',
    meaning: 'At least 32 characters, the same on all nodes; generated and kept in DATA_DIR when empty',
  },
  PUBLIC_URL: {
    default: '',
    meaning: 'Where browsers reach the service, for links in mails; `http://localhost:<PORT>` when empty',
  },
  OAUTH_GOOGLE_URL: {
    default: 'https://www.googleapis.com/oauth2/v3',
    meaning: 'Base URL of Google’s `tokeninfo`, `userinfo` and `certs`, for a proxy or a stand-in',
  },
  OAUTH_FACEBOOK_URL: {
    default: 'https://graph.facebook.com',
    meaning: 'Base URL of Facebook’s `debug_token` and `me`, for a proxy or a stand-in',
  },
  PUSH_FCM_URL: {
    default: '',
    meaning: 'Base URL of a stand-in for Google’s push service, which serves `/token` and `/v1/…`',
  },
  PUSH_APNS_URL: {
    default: '',
    meaning: 'Base URL of a stand-in for Apple’s push service, which serves `/3/device/…`',
  },
  RATE_LIMIT: {
    default: 'on',
    meaning: '`off` disables the limits on logins, sign-ups and password resets, for load tests',
  },
  LOG_LEVEL: { default: 'info', meaning: LOG_LEVELS.map((level) => `\`${level}\``).join(', ') },
  SLOW_QUERY_MS: {
    default: '1000',
    meaning: 'Database statements that take at least this many milliseconds are logged; 0 for none',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    meaning: 'Where traces are sent by OTLP over HTTP, without `/v1/traces`; nowhere when empty',
  },
  TRUST_PROXY: { default: 'off', meaning: '`on` takes client addresses from `X-Forwarded-For`' },
  MAX_JSON_BYTES: { default: '1048576', meaning: 'Maximum size of a JSON body, in bytes' },
  MAX_FILE_BYTES: { default: '2147483648', meaning: 'Maximum size of a file, in bytes' },
  MAX_PAGE_SIZE: { default: '1000', meaning: 'Maximum number of rows in an answer' },
  MAX_PAGE_BYTES: { default: '8388608', meaning: 'Maximum size of the stored rows of an answer, in bytes' },
  MAX_UNREAD_BYTES: {
    default: '268435456',
    meaning: 'Maximum size of the large answers of one process that clients have not read yet, in bytes',
  },
  RESIZE_CONCURRENCY: { default: '2', meaning: 'Number of images resized at the same time, 1 to 64' },
  MAX_IMAGE_SIDE: { default: '8192', meaning: 'Maximum side of a resized image, in pixels' },
  MAX_IMAGE_PIXELS: { default: '100000000', meaning: 'Maximum size of an image that is resized, in pixels' },
} as const;

type Variable = keyof typeof VARIABLES;
export type Environment = Readonly<Record<string, string | undefined>>;

/** All problems of the environment, one line per variable, without the values of secrets. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const MIN_SECRET_LENGTH = 32;

/** Parses the environment. @throws `ConfigError` with every problem at once */
export function parseConfig(env: Environment): Config {
  const problems: string[] = [];

  function refuse(name: Variable, expected: string, { secret = false } = {}): void {
    const shown = secret ? '' : ` but is "${env[name]}"`;
    problems.push(`${name} must be ${expected}${shown}`);
  }

  function text(name: Variable): string {
    const value = env[name];
    return value === undefined || value === '' ? VARIABLES[name].default : value;
  }

  function integer(name: Variable, least: number, most: number): number {
    const value = text(name);
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) refuse(name, `a whole number from ${least} to ${most}`);
    return number;
  }

  function choice<T extends string>(name: Variable, choices: readonly T[]): T {
    const value = choices.find((one) => one === text(name));
    if (value === undefined) refuse(name, choices.join(' or '));
    return value ?? (choices[0] as T);
  }

  function database(dataDir: string): DatabaseConfig {
    const url = env.DATABASE_URL ?? '';
    const connections = integer('DATABASE_CONNECTIONS', 1, 500);
    if (url === '') return { kind: 'sqlite', path: join(dataDir, 'baobab.db') };
    if (url === 'memory:') return { kind: 'memory' };
    if (/^sqlite:./.test(url)) return { kind: 'sqlite', path: url.slice('sqlite:'.length) };
    if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return { kind: 'postgres', url, connections };
    refuse('DATABASE_URL', 'memory:, sqlite:<path> or postgres://user:password@host:port/database', { secret: true });
    return { kind: 'memory' };
  }

  function blobs(dataDir: string): BlobConfig {
    const [accessKeyId, secretAccessKey] = [text('AWS_ACCESS_KEY_ID'), text('AWS_SECRET_ACCESS_KEY')];
    const config = parseBlobUrl({ url: env.BLOB_URL ?? '', dataDir, accessKeyId, secretAccessKey });
    if (config === null) refuse('BLOB_URL', BLOB_URL_FORMS, { secret: true });
    else if (config.kind === 's3' && (accessKeyId === '') !== (secretAccessKey === '')) {
      const missing = accessKeyId === '' ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
      refuse(missing, 'set if the other AWS key is set', { secret: true });
    }
    return config ?? { kind: 'memory' };
  }

  /** The URL without a trailing slash; null when the variable is empty. */
  function url(name: Variable): string | null {
    const value = text(name);
    if (value === '') return null;
    if (!/^https?:\/\/[^?#]+$/.test(value) || !URL.canParse(value)) refuse(name, 'an http or https URL');
    return value.replace(/\/+$/, '');
  }

  function secretKey(): string | null {
    const value = text('SECRET_KEY');
    if (value === '') return null;
    if (value.length < MIN_SECRET_LENGTH) {
      refuse('SECRET_KEY', `at least ${MIN_SECRET_LENGTH} characters long`, { secret: true });
    }
    return value;
  }

  function workers(): number {
    if (text('WORKERS') === 'auto') return availableParallelism();
    return integer('WORKERS', 1, 256);
  }

  function refuseUnsharedMemory({ workers: count, database: { kind }, blobs: bytes }: Config): void {
    if (count === 1) return;
    const unshared = kind === 'memory' ? 'DATABASE_URL' : bytes.kind === 'memory' ? 'BLOB_URL' : null;
    if (unshared !== null)
      problems.push(`WORKERS must be 1 because ${unshared} is memory:, which processes cannot share`);
  }

  const dataDir = text('DATA_DIR');
  const config: Config = {
    port: integer('PORT', 0, 65_535),
    host: text('HOST'),
    workers: workers(),
    drainDelayMs: integer('DRAIN_DELAY_MS', 0, 300_000),
    metricsPort: text('METRICS_PORT') === '' ? null : integer('METRICS_PORT', 0, 65_535),
    dataDir,
    database: database(dataDir),
    blobs: blobs(dataDir),
    appCode: text('APP_CODE'),
    adminPassword: text('ADMIN_PASSWORD') || null,
    secretKey: secretKey(),
    publicUrl: url('PUBLIC_URL'),
    googleUrl: url('OAUTH_GOOGLE_URL') ?? '',
    facebookUrl: url('OAUTH_FACEBOOK_URL') ?? '',
    pushUrls: { fcm: url('PUSH_FCM_URL'), apns: url('PUSH_APNS_URL') },
    rateLimit: choice('RATE_LIMIT', ['on', 'off']) === 'on',
    logLevel: choice('LOG_LEVEL', LOG_LEVELS),
    imageLimits: {
      concurrency: integer('RESIZE_CONCURRENCY', 1, 64),
      maxSide: integer('MAX_IMAGE_SIDE', 1, 16_383),
      maxPixels: integer('MAX_IMAGE_PIXELS', 1, 268_402_689),
    },
    slowMs: integer('SLOW_QUERY_MS', 0, 3_600_000),
    tracesUrl: url('OTEL_EXPORTER_OTLP_ENDPOINT'),
    trustProxy: choice('TRUST_PROXY', ['off', 'on']) === 'on',
    maxJsonBytes: integer('MAX_JSON_BYTES', 1, 1_073_741_824),
    maxFileBytes: integer('MAX_FILE_BYTES', 1, 51_539_607_552),
    maxPageSize: integer('MAX_PAGE_SIZE', 1, 100_000),
    maxPageBytes: integer('MAX_PAGE_BYTES', 1, 1_073_741_824),
    maxUnreadBytes: integer('MAX_UNREAD_BYTES', 1_048_576, 1_099_511_627_776),
  };
  refuseUnsharedMemory(config);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}
