import type { Actor } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { LoggedRequest } from '../schemas/requests.ts';
import type { Traffic } from '../schemas/traffic.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Arrival of the request's headers, in milliseconds since the process started. */
    startedAt: number;
  }
}

/** Request as observers see it. It has no actor if it was refused before authentication. */
export type ObservedRequest = FastifyRequest & { readonly actor?: Actor };

/** Called once per request when its response is ready. It must not throw. */
export interface RequestObserver {
  /** @param ms milliseconds since the request's headers arrived */
  observe(request: ObservedRequest, reply: FastifyReply, ms: number): void;
}

/** Filter of logged requests. */
export interface RequestFilter {
  /** A status such as `404`, or a class of them such as `4xx`. */
  readonly status?: string;
  /** Part of the path. */
  readonly path?: string;
  /** Exact user name of the caller. */
  readonly user?: string;
  /** Maximum number of requests. */
  readonly limit: number;
}

/** Metrics for administrators and scrapers. */
export interface RequestMetrics {
  /** Returns the requests of the last hour. */
  traffic(): Promise<Static<typeof Traffic>>;
  /** Returns the newest requests to this node that match the filter, newest first. */
  requests(filter: RequestFilter): Promise<readonly Static<typeof LoggedRequest>[]>;
  /** Returns all metrics in Prometheus format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Records the start of a response, for routes that bypass the framework. */
export type Answered = (request: FastifyRequest, reply: FastifyReply) => void;
