import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { CountedPage, criteriaQuery, Empty, Envelope, failures, LIST_NOTE, pageQuery } from '../schemas/common.ts';
import { KEY_HEADER, ON_KEY, ON_PAGE } from '../schemas/failing.ts';

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

interface OperationOptions<Params, Query, Body> {
  readonly schema: FastifySchema & Required<Asked<Params, Query, Body>>;
  readonly config: FastifyContextConfig;
}

type Schema = TSchema | undefined;

const ListQuery = Type.Object({ ...pageQuery, ...criteriaQuery });

/** What is particular to a list that takes criteria, with these elements. */
export const listOf = (element: TSchema) => ({
  description: LIST_NOTE,
  querystring: ListQuery,
  response: { 200: CountedPage(Type.Array(element)) },
  fails: ON_PAGE,
});

/** Leaves out what is undefined: Fastify warns of it. */
const present = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/**
 * Makes the options of routes that have the same tag in the reference. Each route names only what is its own: its failures
 * besides the usual ones (`reference/failures.ts`), and its answers unless it answers 200 without data.
 */
export function operationsIn(tag: string) {
  return <Params extends Schema = undefined, Query extends Schema = undefined, Body extends Schema = undefined>(
    operationId: string,
    summary: string,
    own: Own<Params, Query, Body> = {},
  ): OperationOptions<Params, Query, Body> => {
    const { description, params, querystring, body, data, created, response, isKeyed = false, ...config } = own;
    const answers = {
      ...(data && { 200: Envelope(data) }),
      ...(created && { 201: Envelope(created, 201) }),
      ...response,
    };
    const named = Object.keys(answers).length > 0 ? answers : { 200: Envelope(Empty) };
    const schema = { operationId, summary, description, tags: [tag], params, querystring, body };
    const keyed = { headers: KEY_HEADER, ...config.describes };
    return {
      schema: { ...present(schema), response: { ...named, ...failures } } as FastifySchema &
        Required<Asked<Params, Query, Body>>,
      config: isKeyed ? { ...config, fails: [...(config.fails ?? []), ...ON_KEY], describes: keyed } : config,
    };
  };
}
