import { createRequire } from 'node:module';
import { AppError, type ErrorCode, isJsonObject, nearestName } from '@baobab/core';
import type { Ajv } from 'ajv';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  FastifySchemaCompiler,
  FastifySchemaValidationError,
  FastifyServerOptions,
  RouteOptions,
} from 'fastify';
import { escaped, pointerOf, validationMessage } from './errors/input-errors.ts';
import { mediaTypeOf } from './requests/media-type.ts';

/** The parts of a route, registered or not, that describe its body. */
type RouteParts = Pick<RouteOptions, 'schema' | 'config'>;
type Validate = ReturnType<FastifySchemaCompiler<object>>;
type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;

function createAjv(): Ajv {
  const ajv: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  // Requests are not modified: nothing is converted, removed or filled in. The schemas are our own and valid (tests
  // check the OpenAPI document). Validating them would compile the meta-schema at the first request.
  return new ajv.Ajv({ addUsedSchema: false, allowUnionTypes: true, meta: false, validateSchema: false });
}

/**
 * Compiles the schema of a request part on first use. Few programs serve every route, and compiling all schemas took an
 * eighth of the start.
 */
function createValidatorCompiler(): FastifySchemaCompiler<object> {
  let ajv: Ajv | null = null;
  return ({ schema }) => {
    let compiled: Validate | null = null;
    const validate: Validate = (data) => {
      if (compiled === null) {
        ajv ??= createAjv();
        compiled = ajv.compile(schema) as Validate;
      }
      const isValid = compiled(data);
      if (isValid === false) validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  };
}

/** Responses are sent as text. Compiling serializers from the schemas would only slow down the start. */
const serializerCompiler = () => JSON.stringify;

/** Returns the schema compilers for Fastify's option `schemaController`, so that Fastify does not load its own. */
export function schemaCompilers(): SchemaController {
  // The declared types expect a compiler that receives the schema. It receives the route, as documented for
  // `setValidatorCompiler`.
  const compilersFactory = { buildValidator: createValidatorCompiler, buildSerializer: () => serializerCompiler };
  return { compilersFactory } as unknown as SchemaController;
}

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

/** Returns a function that refuses parameters that a route does not know. It throws `query.unknown`. */
export function queryCheck({ schema, config }: RouteParts): (query: object) => void {
  const known = Object.keys((schema?.querystring as QuerySchema | undefined)?.properties ?? {});
  const accepted = new Set([...ALWAYS, ...known, ...(config?.accepts ?? [])]);
  return (query) => {
    for (const name in query) {
      if (accepted.has(name) || CREDENTIALS.has(name.toLowerCase())) continue;
      const meant = meantBy(name, known);
      const hint = meant === null ? '' : `; did you mean "${meant}"?`;
      const input = name.slice(0, MAX_NAME_LENGTH);
      throw new AppError('query.unknown', {
        detail: `unknown parameter "${input}"${hint} (cache busters: use "_")`,
        input,
      });
    }
  };
}

/**
 * Refuses unknown query parameters, because a misspelt `where` would silently return every row. @throws `query.unknown`
 */
export function refuseUnknownQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (ignoresUnknownQueries(route.config ?? {})) return;
    const check = queryCheck(route);
    route.preValidation = [async ({ query }) => check(query as object), ...[route.preValidation ?? []].flat()];
  });
}

const JSON_TYPE = 'application/json';

interface ObjectSchema {
  readonly type?: unknown;
  readonly required?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
}

const listsAll = ({ properties, additionalProperties }: ObjectSchema) =>
  properties !== undefined && additionalProperties !== true;

/** Returns the names of the members of a route's body of a media type; null if it may have any. */
function membersOf({ schema, config }: RouteParts, type: string): string[] | null {
  const described = config?.describes?.body;
  const body = (described === undefined ? schema?.body : described[type]) as ObjectSchema | undefined;
  if (body === undefined) return [];
  return listsAll(body) ? Object.keys(body.properties ?? {}) : null;
}

const closed = <Schema>(body: Schema): Schema =>
  listsAll(body as ObjectSchema) ? { ...body, additionalProperties: false } : body;

/** Documents that the bodies of a route have no other members. */
function closeBodies(route: RouteOptions): void {
  const { schema, config } = route;
  const { body, ...describes } = config?.describes ?? {};
  if (body !== undefined) {
    const bodies = Object.fromEntries(Object.entries(body).map(([type, one]) => [type, closed(one)]));
    Object.assign(route, { config: { ...config, describes: { ...describes, body: bodies } } });
  } else if (schema?.body !== undefined) route.schema = { ...schema, body: closed(schema.body) };
}

/** Maximum length of a name in an error, in UTF-16 units. */
const LONGEST = 64;

/**
 * Checks the names of members or form fields in the body of an administrative route. Other routes accept all names.
 *
 * @throws `input.invalid` for a name that the route does not have
 */
export function checkMembers(request: FastifyRequest, names: readonly string[]): void {
  const { routeOptions: route, headers } = request;
  if (route.url?.startsWith('/admin/') !== true) return;
  const known = membersOf(route, mediaTypeOf(headers['content-type'] ?? JSON_TYPE));
  const unknown = known === null ? undefined : names.find((name) => !known.includes(name));
  if (known === null || unknown === undefined) return;
  const shown = unknown.slice(0, LONGEST);
  const meant = nearestName(shown, known, (name) => Math.max(1, Math.floor(name.length / 3)));
  const detail = `unknown member ${JSON.stringify(shown)}${meant === null ? '' : `; did you mean "${meant}"?`}`;
  throw new AppError('input.invalid', { detail, input: `/${escaped(shown)}` });
}

/**
 * Refuses unknown members in the bodies of administrative routes, because a misspelt setting would silently have no
 * effect. Register it before the routes are collected for the OpenAPI document, which then says the same.
 *
 * @throws as `checkMembers`
 */
export function refuseUnknownMembers(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/admin/')) return;
    closeBodies(route);
    route.preValidation = [
      async (request) => checkMembers(request, isJsonObject(request.body) ? Object.keys(request.body) : []),
      ...[route.preValidation ?? []].flat(),
    ];
  });
}

/** Options of a route whose JSON body, if invalid, fails with `code` instead of `input.invalid`. */
export function bodyFailures(code: ErrorCode) {
  return {
    /** Otherwise an absent body would fail like an invalid one. */
    preValidation: (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) =>
      done(request.json === null ? new AppError('input.empty') : undefined),

    schemaErrorFormatter(problems: FastifySchemaValidationError[], part: string): Error {
      const [problem] = problems;
      return new AppError(code, {
        detail: validationMessage(problems, part),
        ...(problem && { input: pointerOf(problem) }),
      });
    },
  };
}
