import type { FastifyInstance } from 'fastify';
import { httpFailure, sendFailure } from './errors.ts';

/** Parameters that clients send to any route. They are never refused. */
export const ALWAYS: readonly string[] = ['call_id', '_', 'page', 'skip', 'recordsPerPage', 'recordPerPage', 'depth'];
/** Credentials, which have the names of headers. */
const CREDENTIALS: ReadonlySet<string> = new Set(['x-service-appcode', 'x-baasbox-appcode', 'x-bb-session']);

/** Names that other services use for our parameters. */
const ALIASES: Readonly<Record<string, string>> = {
  filter: 'where',
  query: 'where',
  q: 'where',
  sort: 'orderBy',
  order: 'orderBy',
  order_by: 'orderBy',
  limit: 'recordsPerPage',
  per_page: 'recordsPerPage',
  pagesize: 'recordsPerPage',
  offset: 'skip',
  select: 'fields',
  keys: 'fields',
  group: 'groupBy',
  after: 'cursor',
  next: 'cursor',
};

/** The Levenshtein distance: how many letters have to be changed, added or removed. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Longer names are not treated as misspellings. Characters. */
const MAX_NAME_LENGTH = 32;

/** The known parameter that was probably meant; null when none is similar. */
function nearest(name: string, known: readonly string[]): string | null {
  const lower = name.toLowerCase();
  const alias = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
  if (alias !== undefined && known.includes(alias)) return alias;
  if (name.length > MAX_NAME_LENGTH) return null;
  const ranked = known.map((one) => [distance(lower, one.toLowerCase()), one] as const).toSorted(([a], [b]) => a - b);
  const [[edits, best] = [Number.POSITIVE_INFINITY, null]] = ranked;
  return edits <= Math.max(1, Math.floor(lower.length / 3)) ? best : null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Query parameters that this route accepts although no schema names them. */
    accepts?: readonly string[];
  }
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Refuses unknown query parameters: a misspelt `where` would silently return every row. @throws `query.unknown` */
export function refuseUnknownQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // These are pages behind links, to which mail programs add their own parameters.
    if (route.config?.access === 'open') return;
    const properties = (route.schema?.querystring as QuerySchema | undefined)?.properties ?? {};
    const known = Object.keys(properties);
    const accepted = new Set([...ALWAYS, ...known, ...(route.config?.accepts ?? [])]);
    const before = [route.preValidation ?? []].flat();
    route.preValidation = [
      (request, reply, done) => {
        for (const name in request.query as object) {
          if (accepted.has(name) || CREDENTIALS.has(name.toLowerCase())) continue;
          const meant = nearest(name, known);
          const hint = meant === null ? '' : `; did you mean "${meant}"?`;
          const message = `unknown parameter "${name.slice(0, MAX_NAME_LENGTH)}"${hint}`;
          const failure = httpFailure('query.unknown');
          sendFailure(request, reply, {
            ...failure,
            message: `${failure.message}: ${message}`,
            errors: [{ path: `query.${name.slice(0, MAX_NAME_LENGTH)}`, message }],
          });
          return;
        }
        done();
      },
      ...before,
    ];
  });
}
