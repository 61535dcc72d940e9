import { PostgresUrlError, parsePostgresUrl, placeOf } from '../composition/postgres-url.ts';

/** What `DATABASE_URL` names. */
export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export const DATABASE_URL_FORMS = 'memory:, sqlite:<path> or postgres://user:password@host:port/database';

const isPostgresUrl = (url: string) => /^postgres(?:ql)?:\/\//.test(url);

/** Where a Postgres database is: hosts, ports and name, without the user, the password and the options of its URL. */
export function databaseLocation(url: string): string {
  const target = parsePostgresUrl(url);
  return `${placeOf(target)}/${target.database ?? ''}`;
}

/** Parses `DATABASE_READ_URL`: the URLs of replicas, separated by commas. Null when one is no URL of Postgres. */
export function parseReadUrls(urls: string): readonly string[] | null {
  // Commas also separate the hosts of one URL.
  const all = urls.split(/,(?=\s*(?:[a-z]+:|$))/).map((url) => url.trim());
  return all.every(isPostgresUrl) ? all : null;
}

/** Parses `DATABASE_URL`. Null when it is invalid; the parts of a URL of Postgres are checked by `faultOf`. */
export function parseDatabaseUrl(url: string): DatabaseUrl | null {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^sqlite:./.test(url)) return { kind: 'sqlite', path: url.slice('sqlite:'.length) };
  return isPostgresUrl(url) ? { kind: 'postgres', url } : null;
}

/** What is wrong with a URL of Postgres, in one line without secrets; null: nothing. */
export function faultOf(url: string): string | null {
  try {
    parsePostgresUrl(url);
    return null;
  } catch (error) {
    if (error instanceof PostgresUrlError) return error.message;
    throw error;
  }
}
