import { nearestName } from '@baobab/core';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { httpFailure, sendFailure } from './errors.ts';

/** Parameters that clients send to any route, never refused. */
export const ALWAYS: readonly string[] = ['call_id', '_', 'page', 'skip', 'recordsPerPage', 'recordPerPage', 'depth'];
/** Credentials with the names of headers. */
const CREDENTIALS: ReadonlySet<string> = new Set(['x-service-appcode', 'x-baasbox-appcode', 'x-bb-session']);

/** Names for our parameters in other APIs. */
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
  include: 'expand',
  populate: 'expand',
  embed: 'expand',
};

/** Names that are longer than this, in characters, are not treated as misspellings. */
const MAX_NAME_LENGTH = 32;

/** Returns the known parameter that was probably meant, or null. */
function meantBy(name: string, known: readonly string[]): string | null {
  const lower = name.toLowerCase();
  const alias = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
  if (alias !== undefined && known.includes(alias)) return alias;
  if (name.length > MAX_NAME_LENGTH) return null;
  const most = Math.max(1, Math.floor(name.length / 3));
  return nearestName(name, known, () => most);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Query parameters that this route accepts without a schema. */
    accepts?: readonly string[];
    /** For URLs that are shared, embedded or reconnected to, because third parties append parameters to them. */
    ignoresUnknownQueries?: true;
  }
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/**
 * True if the URL of a route leaves the app: social networks, mail programs, CDNs, service workers and polyfills then
 * append parameters (`fbclid`, `utm_source`, `v`, `__WB_REVISION__`).
 */
export const ignoresUnknownQueries = ({ access, appCode, ignoresUnknownQueries }: FastifyContextConfig): boolean =>
  access === 'open' || appCode === 'unneeded' || ignoresUnknownQueries === true;

/**
 * Refuses unknown query parameters, because a misspelt `where` would silently return every row. @throws `query.unknown`
 */
export function refuseUnknownQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (ignoresUnknownQueries(route.config ?? {})) return;
    const properties = (route.schema?.querystring as QuerySchema | undefined)?.properties ?? {};
    const known = Object.keys(properties);
    const accepted = new Set([...ALWAYS, ...known, ...(route.config?.accepts ?? [])]);
    const before = [route.preValidation ?? []].flat();
    route.preValidation = [
      (request, reply, done) => {
        for (const name in request.query as object) {
          if (accepted.has(name) || CREDENTIALS.has(name.toLowerCase())) continue;
          const meant = meantBy(name, known);
          const hint = meant === null ? '' : `; did you mean "${meant}"?`;
          const message = `unknown parameter "${name.slice(0, MAX_NAME_LENGTH)}"${hint} (cache busters: use "_")`;
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
