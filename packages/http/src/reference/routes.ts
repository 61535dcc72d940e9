import type { ErrorCode } from '@baobab/core';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Failures of this route, besides those that every route of its kind has (`reference/failures.ts`). */
    fails?: readonly ErrorCode[];
    /** What goes in that no schema checks: it is read by hand, or as a stream. */
    describes?: Described;
  }
}

export interface Described {
  /** Headers of the request by name. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** The body by media type. */
  readonly body?: Readonly<Record<string, TSchema>>;
  /** Whether there may be no body at all. */
  readonly bodyIsOptional?: boolean;
  /** Whether what the schema of the body says may also come as a form. */
  readonly takesForms?: boolean;
  /**
   * What a caller has to show where `access` and `appCode` do not say it: a session, since name and password do not tell
   * which is meant; or to be a user, with no application code.
   */
  readonly needs?: 'session' | 'user';
}

/** A schema of Fastify's with what describes it. */
export interface RouteSchema {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
  readonly response?: Readonly<Record<string, TSchema>>;
}

export interface RouteConfig {
  readonly access?: 'user' | 'anybody' | 'open';
  readonly appCode?: 'required' | 'body' | 'session' | 'always' | 'unneeded';
  readonly status?: Partial<Record<ErrorCode, number>>;
  readonly fails?: readonly ErrorCode[];
  readonly describes?: Described;
}

/** A route as it was registered. */
export interface ServedRoute {
  readonly method: string;
  /** With its parameters, as `/document/:collection`. */
  readonly url: string;
  readonly schema: RouteSchema;
  readonly config: RouteConfig;
}

/** Notes every route that is registered from now on; `HEAD` comes with every `GET` and is not among them. */
export function collectRoutes(app: FastifyInstance): readonly ServedRoute[] {
  const routes: ServedRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema = {}, config = {} }) => {
    for (const one of [method].flat()) {
      if (one === 'HEAD' || one === 'OPTIONS') continue;
      routes.push({ method: one, url, schema: schema as RouteSchema, config: config as RouteConfig });
    }
  });
  return routes;
}
