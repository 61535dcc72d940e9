import type { FastifyInstance } from 'fastify';
import { httpFailure, sendFailure } from './errors.ts';

/** What clients send to any route: never refused. */
const ALWAYS: readonly string[] = ['call_id', '_', 'page', 'skip', 'recordsPerPage', 'recordPerPage', 'depth'];
/** Credentials, which have the names of headers. */
const CREDENTIALS: ReadonlySet<string> = new Set(['x-service-appcode', 'x-baasbox-appcode', 'x-bb-session']);

/** What other services call a parameter of ours. */
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

/** How many letters have to be changed, added or taken away (Levenshtein distance). */
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

/** Longer names are nobody's slip. Characters. */
const MAX_NAME_LENGTH = 32;

/** The known parameter that was probably meant; null when there is none near. */
export function nearest(name: string, known: readonly string[]): string | null {
  const lower = name.toLowerCase();
  const alias = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
  if (alias !== undefined && known.includes(alias)) return alias;
  if (name.length > MAX_NAME_LENGTH) return null;
  const ranked = known.map((one) => [distance(lower, one.toLowerCase()), one] as const).toSorted(([a], [b]) => a - b);
  const [[edits, best] = [Number.POSITIVE_INFINITY, null]] = ranked;
  return edits <= Math.max(1, Math.floor(lower.length / 3)) ? best : null;
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Refuses parameters that a route does not know: a misspelt `where` would silently give every row. */
export function refuseUnknownQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const properties = (route.schema?.querystring as QuerySchema | undefined)?.properties ?? {};
    const known = Object.keys(properties);
    const accepted = new Set([...ALWAYS, ...known]);
    const before = [route.preValidation ?? []].flat();
    route.preValidation = [
      (request, reply, done) => {
        for (const name in request.query as object) {
          if (accepted.has(name) || CREDENTIALS.has(name.toLowerCase())) continue;
          const meant = nearest(name, known);
          const hint = meant === null ? '' : `; did you mean "${meant}"?`;
          const message = `this route knows no "${name.slice(0, MAX_NAME_LENGTH)}"${hint}`;
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
