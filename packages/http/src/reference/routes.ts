import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import type { FailureCode } from '../errors/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Failures of this route, in addition to those of its kind (`reference/failures.ts`). */
    fails?: readonly FailureCode[];
    /** Input that no schema validates, because it is parsed by hand or read as a stream. */
    describes?: Described;
  }
}

export interface Described {
  /** Request headers by name. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Schemas of the body by media type. */
  readonly body?: Readonly<Record<string, TSchema>>;
  /** True if the body may be absent. */
  readonly bodyIsOptional?: boolean;
  /** True if the body may also be sent as a form. */
  readonly takesForms?: boolean;
  /**
   * Required credentials, unless `access` and `appCode` determine them. `session`: a name and password do not identify
   * the session. `user`: a user without the application code.
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

/** Registered route. */
export interface ServedRoute {
  readonly method: string;
  /** Pattern of the path, such as `/document/:collection`. */
  readonly url: string;
  readonly schema: RouteSchema;
  readonly config: Readonly<FastifyContextConfig>;
}

/** Collects all routes registered from now on. The `HEAD` route of each `GET` is left out. */
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
