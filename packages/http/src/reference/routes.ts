import type { ErrorCode } from '@baobab/core';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Failures of this route, besides those of every route of its kind (`reference/failures.ts`). */
    fails?: readonly ErrorCode[];
    /** Input that no schema validates, because it is parsed by hand or read as a stream. */
    describes?: Described;
  }
}

export interface Described {
  /** Request headers by name. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Schemas of the body by media type. */
  readonly body?: Readonly<Record<string, TSchema>>;
  /** Whether the body may be absent. */
  readonly bodyIsOptional?: boolean;
  /** Whether the body may also be sent as a form. */
  readonly takesForms?: boolean;
  /**
   * Required credentials where `access` and `appCode` do not say so: `session` for routes where name and password do
   * not tell which session is meant, `user` for a user without the application code.
   */
  readonly needs?: 'session' | 'user';
}

/** A Fastify schema with its documentation. */
interface RouteSchema {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
  readonly response?: Readonly<Record<string, TSchema>>;
}

/** A route as it was registered. */
export interface ServedRoute {
  readonly method: string;
  /** The pattern of the path, such as `/document/:collection`. */
  readonly url: string;
  readonly schema: RouteSchema;
  readonly config: Readonly<FastifyContextConfig>;
}

/** Collects every route that is registered from now on. The `HEAD` route that comes with each `GET` is left out. */
export function collectRoutes(app: FastifyInstance): readonly ServedRoute[] {
  const routes: ServedRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema = {}, config = {} }) => {
    for (const one of [method].flat()) {
      if (one === 'HEAD' || one === 'OPTIONS') continue;
      routes.push({ method: one, url, schema: schema as RouteSchema, config });
    }
  });
  return routes;
}
