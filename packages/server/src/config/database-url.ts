/** What `DATABASE_URL` names. */
export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export const DATABASE_URL_FORMS = 'memory:, sqlite:<path> or postgres://user:password@host:port/database';

/** Where a database is: host and name, without the user, the password and the options of its URL. */
export function databaseLocation(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** Parses `DATABASE_READ_URL`: the URLs of replicas, separated by commas. Null when one is no URL of Postgres. */
export function parseReadUrls(urls: string): readonly string[] | null {
  const all = urls.split(',').map((url) => url.trim());
  return all.every((url) => parseDatabaseUrl(url)?.kind === 'postgres') ? all : null;
}

/** Parses `DATABASE_URL`. Null when it is invalid. */
export function parseDatabaseUrl(url: string): DatabaseUrl | null {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^sqlite:./.test(url)) return { kind: 'sqlite', path: url.slice('sqlite:'.length) };
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return { kind: 'postgres', url };
  return null;
}
