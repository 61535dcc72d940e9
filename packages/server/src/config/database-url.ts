import { PostgresUrlError, parsePostgresUrl, placeOf } from '../composition/postgres-url.ts';

/** Parsed `DATABASE_URL`. */
export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export const DATABASE_URL_FORMS = 'memory:, sqlite:<path> or postgres://user:password@host:port/database';

const isPostgresUrl = (url: string) => /^postgres(?:ql)?:\/\//.test(url);

/** Returns the hosts, ports and name of a Postgres database, without the user, password and options of its URL. */
export function databaseLocation(url: string): string {
  const target = parsePostgresUrl(url);
  return `${placeOf(target)}/${target.database ?? ''}`;
}

/** Parses `DATABASE_READ_URL`: comma-separated URLs of replicas. Returns null if one is not a Postgres URL. */
export function parseReadUrls(urls: string): readonly string[] | null {
  // Commas also separate the hosts of one URL.
  const all = urls.split(/,(?=\s*(?:[a-z]+:|$))/).map((url) => url.trim());
  return all.every(isPostgresUrl) ? all : null;
}

/** Parses `DATABASE_URL`. Returns null if it is invalid; `faultOf` checks the parts of a Postgres URL. */
export function parseDatabaseUrl(url: string): DatabaseUrl | null {
  if (url === 'memory:') return { kind: 'memory' };
  // SQLite would give each connection an empty database of its own.
  if (/^sqlite:(?!:memory:$)./.test(url)) return { kind: 'sqlite', path: url.slice('sqlite:'.length) };
  return isPostgresUrl(url) ? { kind: 'postgres', url } : null;
}

/** Returns the problem with a Postgres URL in one line without secrets, or null. */
export function faultOf(url: string): string | null {
  try {
    parsePostgresUrl(url);
    return null;
  } catch (error) {
    if (error instanceof PostgresUrlError) return error.message;
    throw error;
  }
}
