import type { ErrorCode } from '@baobab/core';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteShorthandOptions,
} from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { CountedPage, criteriaQuery, Empty, Envelope, failures, LIST_NOTE, pageQuery } from '../schemas/common.ts';
import { KEY_HEADER, ON_KEY, ON_PAGE } from '../schemas/failing.ts';
import { listBody } from '../schemas/list-body.ts';

/** Schemas that validate a request and give handlers its types. */
interface RequestSchemas<Params, Query, Body> {
  readonly params?: Params;
  readonly querystring?: Query;
  readonly body?: Body;
}

/** Properties of one route. They combine the members of Fastify's `config` and `schema`. */
export interface Own<Params, Query, Body> extends RequestSchemas<Params, Query, Body>, FastifyContextConfig {
  readonly description?: string;
  /** Data of a 200 response. */
  readonly data?: TSchema;
  /** Data of a 201 response. */
  readonly created?: TSchema;
  /** Successful responses with another status or shape, by status. */
  readonly response?: Readonly<Record<number, unknown>>;
  /** True if the route accepts an `Idempotency-Key`. */
  readonly isKeyed?: boolean;
}

/** Fastify's route options, with the types that its schemas validate. */
export interface DescribedOptions<Params, Query, Body> {
  readonly schema: Required<RequestSchemas<Params, Query, Body>>;
  readonly config: FastifyContextConfig;
}

/** Names of the parameters in a path such as `/document/:collection/:id`. */
export type ParameterIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParameterIn<More>
    : Rest
  : never;

type Checked<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;

type Hooks = Pick<
  RouteShorthandOptions,
  'bodyLimit' | 'errorHandler' | 'exposeHeadRoute' | 'preValidation' | 'schemaErrorFormatter'
>;

/** Fastify's methods that add routes. Handlers receive the types of the validated input and of the path parameters. */
type AddsRoutes = <Path extends string, Params, Query, Body>(
  path: Path,
  options: DescribedOptions<Params, Query, Body> & Hooks,
  handler: (
    request: FastifyRequest<{
      Params: Checked<Params, Readonly<Record<ParameterIn<Path>, string>>>;
      Querystring: Checked<Query, unknown>;
      Body: Checked<Body, unknown>;
    }>,
    reply: FastifyReply,
  ) => Promise<FastifyReply>,
) => unknown;

export type Method = 'get' | 'put' | 'patch' | 'post' | 'delete';

type RouteScope = Omit<FastifyInstance, Method> & Readonly<Record<Method, AddsRoutes>>;

/**
 * Routes of one feature. They have access only to the use cases they call. Many features share a Fastify scope, so they
 * add routes only, not hooks or parsers.
 */
export type Routes<Options> = (app: RouteScope, options: Options & Record<never, never>) => Promise<void>;

/** Merges the options of several plugins. */
export type OptionsOfAll<Plugins extends readonly Routes<never>[]> = (
  Plugins[number] extends infer Plugin
    ? Plugin extends Routes<infer Options>
      ? (options: Options) => void
      : never
    : never
) extends (options: infer All) => void
  ? All
  : never;

/** Properties of a route that ends a relation between users. Internal users, who cannot be followed, have none. */
export const endsRelation = (missing: ErrorCode) =>
  ({ fails: [missing, 'user.internal', 'user.not_found'], status: { 'user.internal': 404 } }) as const;

/** For callers who have no session yet. Stale credentials, which clients send here, are ignored. */
export const BEFORE_LOGIN = { access: 'anybody', ignoresOldCredentials: true } as const;

export type Schema = TSchema | undefined;

const ListQuery = Type.Object({ ...pageQuery, ...criteriaQuery });

/** Properties of a list that accepts criteria. */
export const listOf = (element: TSchema) => ({
  description: LIST_NOTE,
  querystring: ListQuery,
  response: { 200: CountedPage(Type.Array(element)) },
  fails: ON_PAGE,
});

/**
 * Returns the same list under `POST …/query`, for criteria that do not fit into a URL. Access, responses and failures
 * are those of the list.
 */
export function queryOf<List extends { readonly querystring: TObject }>({ querystring, ...list }: List) {
  const { checked, shown } = listBody(querystring);
  return { ...list, body: checked, describes: { body: { 'application/json': shown } } };
}

/**
 * Creates the options of routes with the same tag in the API reference. Each route specifies only what differs from the
 * defaults: additional failures (`reference/failures.ts`), and responses unless it answers 200 without data. Path
 * parameters need a schema only if they are more than plain text.
 */
export function operationsIn(tag: string) {
  return <Params extends Schema = undefined, Query extends Schema = undefined, Body extends Schema = undefined>(
    operationId: string,
    summary: string,
    own: Own<Params, Query, Body> = {},
  ): DescribedOptions<Params, Query, Body> => {
    const { description, params, querystring, body, data, created, response, isKeyed = false, ...config } = own;
    // Fastify warns about undefined schemas.
    const asked = Object.entries({ params, querystring, body }).filter(([, schema]) => schema !== undefined);
    const answers = {
      ...(data && { 200: Envelope(data) }),
      ...(created && { 201: Envelope(created, 201) }),
      ...response,
    };
    const schema = {
      ...(Object.fromEntries(asked) as Required<RequestSchemas<Params, Query, Body>>),
      operationId,
      summary,
      description,
      tags: [tag],
      response: { ...(Object.keys(answers).length > 0 ? answers : { 200: Envelope(Empty) }), ...failures },
    };
    const keyed = {
      fails: [...(config.fails ?? []), ...ON_KEY],
      describes: { headers: KEY_HEADER, ...config.describes },
    };
    return { schema, config: isKeyed ? { ...config, ...keyed } : config };
  };
}
