import { BLOB_URL_FORMS, parseBlobUrl } from './blob-url.ts';
import { DATABASE_URL_FORMS, parseDatabaseUrl, parseReadUrls } from './database-url.ts';
import { parseOrigins } from './origins.ts';
import { parseTrustProxy, TRUST_PROXY_FORMS } from './trust-proxy.ts';

interface Format {
  readonly validate: (text: string) => boolean;
  /** Description of valid text, for messages. */
  readonly expected: string;
}

const MIN_KEY_LENGTH = 32;

/** Formats of variables. */
export const FORMATS = {
  'http-url': {
    validate: (text) => /^https?:\/\/[^?#]+$/.test(text) && URL.canParse(text),
    expected: 'an http or https URL',
  },
  'proxy-url': {
    validate: (text) => /^https?:\/\/[^/?#]+\/?$/.test(text) && URL.canParse(text),
    expected: 'the http or https URL of a proxy, such as http://proxy.example.com:3128',
  },
  'header-text': {
    validate: (text) => /^[!-~](?:[ -~]*[!-~])?$/.test(text),
    expected: 'letters, digits and punctuation of ASCII, because it is sent in a header',
  },
  'database-url': { validate: (text) => parseDatabaseUrl(text) !== null, expected: DATABASE_URL_FORMS },
  'postgres-url': {
    validate: (text) => parseDatabaseUrl(text)?.kind === 'postgres',
    expected: 'postgres://user:password@host:port/database',
  },
  'database-read-urls': {
    validate: (text) => parseReadUrls(text) !== null,
    expected: 'URLs of Postgres, separated by commas',
  },
  'blob-url': { validate: (text) => parseBlobUrl(text) !== null, expected: BLOB_URL_FORMS },
  'backup-url': {
    validate: (text) => /^(?:file|s3):/.test(text) && parseBlobUrl(text) !== null,
    expected: BLOB_URL_FORMS.replace('memory:, ', ''),
  },
  origins: {
    validate: (text) => parseOrigins(text) !== null,
    expected: 'origins such as https://app.example.org or android:apk-key-hash:…, separated by commas',
  },
  'trust-proxy': { validate: (text) => parseTrustProxy(text) !== null, expected: TRUST_PROXY_FORMS },
  /**
   * A key that cannot be guessed. Not `minLength`, which counts a character beyond U+FFFF once: `length` counts it
   * twice.
   */
  key: {
    validate: (text) => text.length >= MIN_KEY_LENGTH,
    expected: `at least ${MIN_KEY_LENGTH} characters long`,
  },
} as const satisfies Readonly<Record<string, Format>>;
