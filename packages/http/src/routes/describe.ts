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

/** What a request holds, by the schemas that validate it. Handlers get its types. */
interface Asked<Params, Query, Body> {
  readonly params?: Params;
  readonly querystring?: Query;
  readonly body?: Body;
}

/** What is particular to one route. The members of Fastify's `config` stand beside those of its `schema`. */
interface Own<Params, Query, Body> extends Asked<Params, Query, Body>, FastifyContextConfig {
  readonly description?: string;
  /** The data of an answer with status 200. */
  readonly data?: TSchema;
  /** The data of an answer with status 201. */
  readonly created?: TSchema;
  /** Successful answers with another status or in another shape, by status. */
  readonly response?: Readonly<Record<number, unknown>>;
  /** Whether the route takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean;
}

/** The options of a route: those of Fastify, with the types of what its schemas check. */
export interface DescribedOptions<Params, Query, Body> {
  readonly schema: Required<Asked<Params, Query, Body>>;
  readonly config: FastifyContextConfig;
}

/** The names of the parameters in a path such as `/document/:collection/:id`. */
type ParameterIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParameterIn<More>
    : Rest
  : never;

type Checked<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;

type Hooks = Pick<
  RouteShorthandOptions,
  'bodyLimit' | 'errorHandler' | 'exposeHeadRoute' | 'preValidation' | 'schemaErrorFormatter'
>;

/**
 * Fastify's methods that add routes. Handlers get the types of what a schema has checked, and of the parameters that the
 * path names.
 */
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

type Method = 'get' | 'put' | 'post' | 'delete';

type RouteScope = Omit<FastifyInstance, Method> & Readonly<Record<Method, AddsRoutes>>;

/**
 * The routes of one feature. They see the use cases that they call and nothing else. Many features share a scope of
 * Fastify, so they add routes only, and no hooks or parsers.
 */
export type Routes<Options> = (app: RouteScope, options: Options & Record<never, never>) => Promise<void>;

/** The options of several plugins in one: the members of each. */
export type OptionsOfAll<Plugins extends readonly Routes<never>[]> = (
  Plugins[number] extends infer Plugin
    ? Plugin extends Routes<infer Options>
      ? (options: Options) => void
      : never
    : never
) extends (options: infer All) => void
  ? All
  : never;

/**
 * What is particular to a route that ends a relation between users. Users whom nobody can follow (internal ones) have
 * none.
 */
export const endsRelation = (missing: ErrorCode) =>
  ({ fails: [missing, 'user.internal', 'user.not_found'], status: { 'user.internal': 404 } }) as const;

/** Open to callers who have no session yet. Clients send old ones here, which are ignored. */
export const BEFORE_LOGIN = { access: 'anybody', ignoresOldCredentials: true } as const;

type Schema = TSchema | undefined;

const ListQuery = Type.Object({ ...pageQuery, ...criteriaQuery });

/** What is particular to a list that takes criteria, with these elements. */
export const listOf = (element: TSchema) => ({
  description: LIST_NOTE,
  querystring: ListQuery,
  response: { 200: CountedPage(Type.Array(element)) },
  fails: ON_PAGE,
});

/**
 * The same list under `POST …/query`, for criteria that do not fit into a URL. It has the access, the answers and the
 * failures of the list.
 */
export function queryOf<List extends { readonly querystring: TObject }>({ querystring, ...list }: List) {
  const { checked, shown } = listBody(querystring);
  return { ...list, body: checked, describes: { body: { 'application/json': shown } } };
}

/**
 * Makes the options of routes that have the same tag in the reference. Each route names only what is its own: its failures
 * besides the usual ones (`reference/failures.ts`), and its answers unless it answers 200 without data. The parameters of
 * a path need a schema only where it says more than that they are texts.
 */
export function operationsIn(tag: string) {
  return <Params extends Schema = undefined, Query extends Schema = undefined, Body extends Schema = undefined>(
    operationId: string,
    summary: string,
    own: Own<Params, Query, Body> = {},
  ): DescribedOptions<Params, Query, Body> => {
    const { description, params, querystring, body, data, created, response, isKeyed = false, ...config } = own;
    // Fastify warns of schemas that are undefined.
    const asked = Object.entries({ params, querystring, body }).filter(([, schema]) => schema !== undefined);
    const answers = {
      ...(data && { 200: Envelope(data) }),
      ...(created && { 201: Envelope(created, 201) }),
      ...response,
    };
    const schema = {
      ...(Object.fromEntries(asked) as Required<Asked<Params, Query, Body>>),
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
