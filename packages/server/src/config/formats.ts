import { parseBlobUrl } from './blob-url.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { parseOrigins } from './origins.ts';

/** The `format`s that the schema of the environment uses. */
export const FORMATS = {
  'database-url': (text: string) => parseDatabaseUrl(text) !== null,
  'blob-url': (text: string) => parseBlobUrl(text) !== null,
  'http-url': (text: string) => /^https?:\/\/[^?#]+$/.test(text) && URL.canParse(text),
  origins: (text: string) => parseOrigins(text) !== null,
} as const;
