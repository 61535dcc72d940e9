/**
 * The environment variables: how each text becomes a value. `docs/configuration.md` and `.env.example` list the same
 * variables, which a test checks.
 */
import { BLOB_URL_FORMS, parseBlobUrl } from './blob-url.ts';
import { DATABASE_URL_FORMS, parseDatabaseUrl, parseReadUrls } from './database-url.ts';
import { parseOrigins } from './origins.ts';

/** One variable. `Value` is the type of its value. */
export interface VariableDefinition<Value> {
  readonly description: string;
  /** The value when the variable is absent or empty. */
  readonly default: Value;
  /** Converts the text of the variable; null when it is invalid. */
  readonly parse: (text: string) => NonNullable<Value> | null;
  /** The expected value, for messages; absent when every text is valid. */
  readonly expected?: string;
  /** The value is a secret: messages never repeat it. */
  readonly writeOnly?: true;
}

interface About<Value> {
  readonly description: string;
  readonly default: Value;
}

interface Range<Value> extends About<Value> {
  readonly minimum: number;
  readonly maximum: number;
}

/** Which texts are valid, and how a message describes them. */
interface Rule {
  readonly accepts: (text: string) => boolean;
  readonly expected: string;
}

/** `Number` would convert " 80", "1e3" and "0x50" too. */
const DIGITS = /^[0-9]{1,15}$/;

const text = <Value extends string | undefined>(
  about: About<Value>,
  rule?: Rule,
): VariableDefinition<string | Value> => ({
  ...about,
  parse: (given) => (rule === undefined || rule.accepts(given) ? given : null),
  ...(rule && { expected: rule.expected }),
});

const secret = <Value extends string | undefined>(
  about: About<Value>,
  rule?: Rule,
): VariableDefinition<string | Value> => ({ ...text(about, rule), writeOnly: true });

const URL_OF_HTTP: Rule = {
  accepts: (given) => /^https?:\/\/[^?#]+$/.test(given) && URL.canParse(given),
  expected: 'an http or https URL',
};

const url = <Value extends string | undefined>(about: About<Value>) => text(about, URL_OF_HTTP);

const integer = <Value extends number | undefined>({
  minimum,
  maximum,
  ...about
}: Range<Value>): VariableDefinition<number | Value> => ({
  ...about,
  parse(given) {
    const number = DIGITS.test(given) ? Number(given) : Number.NaN;
    return number >= minimum && number <= maximum ? number : null;
  },
  expected: `a whole number from ${minimum} to ${maximum}`,
});

const choice = <Value extends string>(
  choices: readonly Value[],
  about: About<NoInfer<Value>>,
): VariableDefinition<Value> => ({
  ...about,
  parse: (given) => choices.find((one) => one === given) ?? null,
  expected: choices.join(' or '),
});

const port = <Value extends number | undefined>(about: About<Value>) =>
  integer({ ...about, minimum: 0, maximum: 65_535 });

/** A key that nobody can guess. */
const LONG: Rule = { accepts: (given) => given.length >= 32, expected: 'at least 32 characters long' };

/** One worker per core. */
export const AUTO = 'auto';
const WORKERS = integer({
  description: 'Processes that serve together on the port; `auto` for one per core',
  default: 1,
  minimum: 1,
  maximum: 256,
});

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const SWITCH = ['on', 'off'] as const;
const GIBIBYTE = 1_073_741_824;

/** Each variable, by name. */
export const VARIABLES = {
  PORT: port({ description: 'Port to listen on; 0 chooses a free one', default: 9000 }),
  HOST: text({ description: 'Address to listen on', default: '0.0.0.0' }),
  WORKERS: {
    ...WORKERS,
    parse: (given) => (given === AUTO ? AUTO : WORKERS.parse(given)),
    expected: `${AUTO} or ${WORKERS.expected}`,
  } as VariableDefinition<number | typeof AUTO>,
  DRAIN_DELAY_MS: integer({
    description: 'On shutdown, milliseconds between `/health/ready` turning 503 and closing the port',
    default: 0,
    minimum: 0,
    maximum: 300_000,
  }),
  METRICS_PORT: port({
    description: 'Port that serves `/metrics` without credentials; none when empty',
    default: undefined,
  }),
  DATA_DIR: text({
    description: 'Folder of the embedded database, the files and the generated secret key',
    default: './data',
  }),
  DATABASE_URL: secret(
    { description: '`memory:`, `sqlite:<path>` or `postgres://…`', default: 'sqlite:<DATA_DIR>/baobab.db' },
    { accepts: (given) => parseDatabaseUrl(given) !== null, expected: DATABASE_URL_FORMS },
  ),
  DATABASE_READ_URL: secret(
    {
      description: 'Streaming replicas of the database, which lists are read from: `postgres://…`, several with commas',
      default: undefined,
    },
    { accepts: (given) => parseReadUrls(given) !== null, expected: 'URLs of Postgres, separated by commas' },
  ),
  DATABASE_CONNECTIONS: integer({
    description: 'Connections to Postgres per process, and to each replica, 1 to 500',
    default: 10,
    minimum: 1,
    maximum: 500,
  }),
  BLOB_URL: secret(
    {
      description: '`memory:`, `file:<path>` or `s3://bucket/prefix?endpoint=…&region=…`',
      default: 'file:<DATA_DIR>/blobs',
    },
    { accepts: (given) => parseBlobUrl(given) !== null, expected: BLOB_URL_FORMS },
  ),
  AWS_ACCESS_KEY_ID: secret({
    description: 'Access key for S3; when empty, credentials come from where Amazon’s tools look',
    default: undefined,
  }),
  AWS_SECRET_ACCESS_KEY: secret({ description: 'Secret key that belongs to it', default: undefined }),
  APP_CODE: text({ description: 'Application code that every client sends', default: '1234567890' }),
  ADMIN_PASSWORD: secret({
    description: 'Password of `admin` at the first start; generated and printed when empty',
    default: undefined,
  }),
  SECRET_KEY: secret(
    {
      description: 'At least 32 characters, the same on all nodes; generated and kept in DATA_DIR when empty',
      default: undefined,
    },
    LONG,
  ),
  SECRET_KEY_PREVIOUS: secret(
    {
      description: 'A second key that is accepted but not used, while `SECRET_KEY` is changed; none when empty',
      default: undefined,
    },
    LONG,
  ),
  PUBLIC_URL: url({
    description: 'Where browsers reach the service, for links in mails; `http://localhost:<PORT>` when empty',
    default: undefined,
  }),
  WEBAUTHN_ORIGINS: text(
    {
      description: 'Origins whose passkeys are accepted, separated by commas; that of `PUBLIC_URL` when empty',
      default: undefined,
    },
    {
      accepts: (given) => parseOrigins(given) !== null,
      expected: 'origins such as https://app.example.org or android:apk-key-hash:…, separated by commas',
    },
  ),
  OAUTH_GOOGLE_URL: url({
    description: 'Base URL of Google’s `tokeninfo`, `userinfo` and `certs`, for a proxy or a stand-in',
    default: 'https://www.googleapis.com/oauth2/v3',
  }),
  OAUTH_FACEBOOK_URL: url({
    description: 'Base URL of Facebook’s `debug_token` and `me`, for a proxy or a stand-in',
    default: 'https://graph.facebook.com',
  }),
  PUSH_FCM_URL: url({
    description: 'Base URL of a stand-in for Google’s push service, which serves `/token` and `/v1/…`',
    default: undefined,
  }),
  PUSH_APNS_URL: url({
    description: 'Base URL of a stand-in for Apple’s push service, which serves `/3/device/…`',
    default: undefined,
  }),
  WEBHOOK_PRIVATE: choice(SWITCH, {
    description: '`on` lets webhooks be sent to private and loopback addresses too',
    default: 'off',
  }),
  CONSOLE: choice(SWITCH, {
    description: '`off`: there is no page for administrators at `/console`',
    default: 'on',
  }),
  RATE_LIMIT: choice(SWITCH, {
    description: '`off` disables the limits on logins, sign-ups and password resets, for load tests',
    default: 'on',
  }),
  LOG_LEVEL: choice(LOG_LEVELS, {
    description: LOG_LEVELS.map((level) => `\`${level}\``).join(', '),
    default: 'info',
  }),
  SLOW_QUERY_MS: integer({
    description: 'Database statements that take at least this many milliseconds are logged; 0 for none',
    default: 1000,
    minimum: 0,
    maximum: 3_600_000,
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({
    description: 'Where traces are sent by OTLP over HTTP, without `/v1/traces`; nowhere when empty',
    default: undefined,
  }),
  TRUST_PROXY: choice(SWITCH, { description: '`on` takes client addresses from `X-Forwarded-For`', default: 'off' }),
  MAX_JSON_BYTES: integer({
    description: 'Maximum size of a JSON body, in bytes',
    default: 1_048_576,
    minimum: 1,
    maximum: GIBIBYTE,
  }),
  MAX_FILE_BYTES: integer({
    description: 'Maximum size of a file, in bytes',
    default: 2 * GIBIBYTE,
    minimum: 1,
    maximum: 48 * GIBIBYTE,
  }),
  MAX_PAGE_SIZE: integer({
    description: 'Maximum number of rows in an answer',
    default: 1000,
    minimum: 1,
    maximum: 100_000,
  }),
  MAX_PAGE_BYTES: integer({
    description: 'Maximum size of the stored rows of an answer, in bytes',
    default: 8_388_608,
    minimum: 1,
    maximum: GIBIBYTE,
  }),
  MAX_UNREAD_BYTES: integer({
    description: 'Maximum size of the large answers of one process that clients have not read yet, in bytes',
    default: 268_435_456,
    minimum: 1_048_576,
    maximum: 1024 * GIBIBYTE,
  }),
  MAX_STREAMS: integer({
    description: 'Maximum number of streams of changes that one process serves at the same time',
    default: 10_000,
    minimum: 0,
    maximum: 1_000_000,
  }),
  RESIZE_CONCURRENCY: integer({
    description: 'Number of images resized at the same time, 1 to 64',
    default: 2,
    minimum: 1,
    maximum: 64,
  }),
  MAX_IMAGE_SIDE: integer({
    description: 'Maximum side of a resized image, in pixels',
    default: 8192,
    minimum: 1,
    maximum: 16_383,
  }),
  MAX_IMAGE_PIXELS: integer({
    description: 'Maximum size of an image that is resized, in pixels',
    default: 100_000_000,
    minimum: 1,
    maximum: 268_402_689,
  }),
};

export type Variable = keyof typeof VARIABLES;

/** The value of each variable: converted, or the default. */
export type Values = {
  readonly [Name in Variable]: (typeof VARIABLES)[Name] extends VariableDefinition<infer Value> ? Value : never;
};
