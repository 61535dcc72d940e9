import type { FORMATS } from './formats.ts';

interface IntegerForm {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum: number;
}

interface ChoiceForm {
  readonly type: 'string';
  readonly enum: readonly string[];
}

interface TextForm {
  readonly type: 'string';
  readonly format?: keyof typeof FORMATS;
}

/** Valid values of a variable. */
export type Form = IntegerForm | ChoiceForm | TextForm | { readonly anyOf: readonly Form[] };

/** One variable. */
export type VariableSchema = Form & {
  readonly description: string;
  /** Value if the variable is absent or empty. */
  readonly default?: string | number;
  /** Marks a secret, which is never shown. */
  readonly writeOnly?: true;
};

/** One worker per core. */
export const AUTO = 'auto';

const PORT = { type: 'integer', minimum: 0, maximum: 65_535 } as const;
const HTTP_URL = { type: 'string', format: 'http-url' } as const;
const SECRET = { type: 'string', writeOnly: true } as const;
const SWITCH = { type: 'string', enum: ['on', 'off'] } as const;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const GIBIBYTE = 1_073_741_824;

const DECLARED = {
  PORT: { ...PORT, description: 'Port to listen on; 0 chooses a free one', default: 9000 },
  HOST: { type: 'string', description: 'Address to listen on', default: '0.0.0.0' },
  WORKERS: {
    anyOf: [
      { type: 'string', enum: [AUTO] },
      { type: 'integer', minimum: 1, maximum: 256 },
    ],
    description: 'Processes that serve together on the port; `auto` for one per core',
    default: 1,
  },
  DRAIN_DELAY_MS: {
    type: 'integer',
    minimum: 0,
    maximum: 300_000,
    description: 'On shutdown, milliseconds between `/health/ready` turning 503 and closing the port',
    default: 0,
  },
  KEEP_ALIVE_SECONDS: {
    type: 'integer',
    minimum: 1,
    maximum: 86_400,
    description:
      'Seconds without a request after which a connection is closed; longer than proxies and load balancers keep theirs',
    default: 72,
  },
  METRICS_PORT: { ...PORT, description: 'Port that serves `/metrics` without credentials; none when empty' },
  DATA_DIR: {
    type: 'string',
    description: 'Folder of the embedded database, the files and the generated secret key',
    default: './data',
  },
  DATABASE_URL: {
    ...SECRET,
    format: 'database-url',
    description: '`memory:`, `sqlite:<path>` or `postgres://…`',
    default: 'sqlite:<DATA_DIR>/baobab.db',
  },
  DATABASE_LISTEN_URL: {
    ...SECRET,
    format: 'postgres-url',
    description:
      'Direct connection to the database of `DATABASE_URL`, for notifications and locks, when that goes through a pooler in transaction mode',
  },
  DATABASE_READ_URL: {
    ...SECRET,
    format: 'database-read-urls',
    description: 'Streaming replicas of the database, which lists are read from: `postgres://…`, several with commas',
  },
  DATABASE_CONNECTIONS: {
    type: 'integer',
    minimum: 1,
    maximum: 500,
    description: 'Connections to Postgres per process, and to each replica, 1 to 500',
    default: 10,
  },
  EXTENSIONS: {
    type: 'string',
    description: 'Modules with your own code, in TypeScript or JavaScript, separated by commas; none when empty',
  },
  BLOB_URL: {
    ...SECRET,
    format: 'blob-url',
    description: '`memory:`, `file:<path>` or `s3://bucket/prefix?endpoint=…&region=…&pathStyle=…`',
    default: 'file:<DATA_DIR>/blobs',
  },
  BACKUP_URL: {
    ...SECRET,
    format: 'backup-url',
    description: 'Storage of scheduled backups, as in `BLOB_URL`: `file:<path>` or `s3://…`; none when empty',
  },
  AWS_ACCESS_KEY_ID: {
    ...SECRET,
    description: 'Access key for S3; when empty, the AWS credential chain is used',
  },
  AWS_SECRET_ACCESS_KEY: { ...SECRET, description: 'Secret key of the access key' },
  AWS_SESSION_TOKEN: { ...SECRET, description: 'Session token of the access key, if the keys are temporary' },
  AWS_REGION: { type: 'string', description: 'Region of S3 buckets, unless their URL names one' },
  AWS_DEFAULT_REGION: { type: 'string', description: 'The same, if `AWS_REGION` is empty' },
  APP_CODE: {
    type: 'string',
    format: 'header-text',
    description: 'Application code that every client sends',
    default: '1234567890',
  },
  ADMIN_PASSWORD: {
    ...SECRET,
    description: 'Password of `admin` at the first start; generated and printed when empty',
  },
  SECRET_KEY: {
    ...SECRET,
    format: 'key',
    description: 'At least 32 characters, the same on all nodes; generated and kept in DATA_DIR when empty',
  },
  SECRET_KEY_PREVIOUS: {
    ...SECRET,
    format: 'key',
    description: 'A second key that is accepted but not used, while `SECRET_KEY` is changed; none when empty',
  },
  PUBLIC_URL: {
    ...HTTP_URL,
    description: 'Public URL of the server, for links in mails; `http://localhost:<PORT>` when empty',
  },
  WEBAUTHN_ORIGINS: {
    type: 'string',
    format: 'origins',
    description: 'Origins whose passkeys are accepted, separated by commas; the origin of `PUBLIC_URL` when empty',
  },
  WEBAUTHN_TOP_ORIGINS: {
    type: 'string',
    format: 'origins',
    description: 'Origins of pages that may embed those pages in frames, separated by commas; none when empty',
  },
  OAUTH_GOOGLE_URL: {
    ...HTTP_URL,
    description: 'Base URL of Google’s `tokeninfo`, `userinfo` and `certs`, for a proxy or a mock server',
    default: 'https://www.googleapis.com/oauth2/v3',
  },
  OAUTH_FACEBOOK_URL: {
    ...HTTP_URL,
    description: 'Base URL of Facebook’s `debug_token` and `me`, for a proxy or a mock server',
    default: 'https://graph.facebook.com',
  },
  PUSH_FCM_URL: {
    ...HTTP_URL,
    description: 'Base URL of a mock server for Google’s push service, which serves `/token` and `/v1/…`',
  },
  PUSH_APNS_URL: {
    ...HTTP_URL,
    description: 'Base URL of a mock server for Apple’s push service, which serves `/3/device/…`',
  },
  WEBHOOK_PRIVATE: {
    ...SWITCH,
    description: '`on` allows private and loopback addresses for webhooks',
    default: 'off',
  },
  OUTBOUND_PRIVATE: {
    ...SWITCH,
    description: '`on` allows private and loopback addresses for the mail server and the OpenID provider',
    default: 'off',
  },
  SMTP_PLAINTEXT_AUTH: {
    ...SWITCH,
    description: '`on` sends the mail password to other machines even without encryption',
    default: 'off',
  },
  HTTPS_PROXY: {
    ...SECRET,
    format: 'proxy-url',
    description: 'Proxy for outgoing `https:` requests and mail; none when empty',
  },
  HTTP_PROXY: {
    ...SECRET,
    format: 'proxy-url',
    description: 'Proxy for outgoing `http:` requests; none when empty',
  },
  NO_PROXY: {
    type: 'string',
    description: 'Hosts, domains, addresses and networks that are reached without the proxy, separated by commas',
  },
  CONSOLE: { ...SWITCH, description: '`off` removes the console at `/console`', default: 'on' },
  RATE_LIMIT: {
    ...SWITCH,
    description: '`off` disables the limits on logins, sign-ups and password resets, for load tests',
    default: 'on',
  },
  LOG_LEVEL: {
    type: 'string',
    enum: LOG_LEVELS,
    description: LOG_LEVELS.map((level) => `\`${level}\``).join(', '),
    default: 'info',
  },
  SLOW_QUERY_MS: {
    type: 'integer',
    minimum: 0,
    maximum: 3_600_000,
    description: 'Database statements that take at least this many milliseconds are logged; 0 for none',
    default: 1000,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...HTTP_URL,
    description: 'Receiver of traces (OTLP over HTTP), without `/v1/traces`; none when empty',
  },
  TRUST_PROXY: {
    type: 'string',
    format: 'trust-proxy',
    description: 'Proxies that report client addresses: `on` for one, a number, or networks with commas',
    default: 'off',
  },
  MAX_JSON_BYTES: {
    type: 'integer',
    minimum: 1,
    maximum: GIBIBYTE,
    description: 'Maximum size of a JSON body, in bytes',
    default: 1_048_576,
  },
  MAX_FILE_BYTES: {
    type: 'integer',
    minimum: 1,
    maximum: 48 * GIBIBYTE,
    description: 'Maximum size of a file, in bytes',
    default: 2 * GIBIBYTE,
  },
  MAX_PAGE_SIZE: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    description: 'Maximum number of rows in an answer',
    default: 1000,
  },
  MAX_PAGE_BYTES: {
    type: 'integer',
    minimum: 1,
    maximum: GIBIBYTE,
    description: 'Maximum size of the stored rows of an answer, in bytes',
    default: 8_388_608,
  },
  MAX_UNREAD_BYTES: {
    type: 'integer',
    minimum: 1_048_576,
    maximum: 1024 * GIBIBYTE,
    description: 'Maximum size of the large answers of one process that clients have not read yet, in bytes',
    default: 268_435_456,
  },
  MAX_STREAMS: {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Maximum number of subscriptions and streams of changes that one process serves at the same time, and of sockets',
    default: 20_000,
  },
  RESIZE_CONCURRENCY: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    description: 'Number of images resized at the same time, 1 to 64',
    default: 2,
  },
  MAX_IMAGE_SIDE: {
    type: 'integer',
    minimum: 1,
    maximum: 16_383,
    description: 'Maximum side of a resized image, in pixels',
    default: 8192,
  },
  MAX_IMAGE_PIXELS: {
    type: 'integer',
    minimum: 1,
    maximum: 268_402_689,
    description: 'Maximum size of an image that is resized, in pixels',
    default: 100_000_000,
  },
} as const satisfies Readonly<Record<string, VariableSchema>>;

type Declared = typeof DECLARED;
export type Variable = keyof Declared;

/**
 * Environment variables by name. A test checks that `docs/configuration.md` and `.env.example` list the same variables.
 */
export const VARIABLES: { readonly [Name in Variable]: VariableSchema & Declared[Name] } = DECLARED;

type ValueOf<Schema> = Schema extends { readonly anyOf: readonly (infer Alternative)[] }
  ? ValueOf<Alternative>
  : Schema extends { readonly enum: readonly (infer Choice)[] }
    ? Choice
    : Schema extends { readonly type: 'integer' }
      ? number
      : string;

/** Values of all variables: converted, or the default. */
export type Values = {
  readonly [Name in Variable]:
    | ValueOf<Declared[Name]>
    | (Declared[Name] extends { readonly default: unknown } ? never : undefined);
};
