import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { DescribedOptions } from './describe.ts';

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
