import type { Actor } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the head of the request arrived, in milliseconds since the process started. */
    startedAt: number;
  }
}

/** A request as observers see it. It has no actor when it was refused before authentication. */
export type ObservedRequest = FastifyRequest & { readonly actor?: Actor };

/** Called once per request, when its response is ready. It must not throw. */
export interface RequestObserver {
  /** @param ms milliseconds since the head of the request arrived */
  observe(request: ObservedRequest, reply: FastifyReply, ms: number): void;
}

/** The requests of one minute. */
export interface TrafficMinute {
  /** When it began, milliseconds. */
  readonly time: number;
  readonly requests: number;
  /** Answered with a status from 400 to 499. */
  readonly clientErrors: number;
  /** Answered with a status from 500 on. */
  readonly serverErrors: number;
  /** The duration that half of the requests did not exceed, estimated; null without requests. Milliseconds. */
  readonly p50: number | null;
  /** The same of 95 % of them. */
  readonly p95: number | null;
}

/** The requests of the last hour. */
export interface Traffic {
  /** Since when they are counted, milliseconds. */
  readonly since: number;
  /** The oldest first, the one in progress last. */
  readonly minutes: readonly TrafficMinute[];
}

/** The metrics that administrators and scrapers read. */
export interface RequestMetrics {
  traffic(): Promise<Traffic>;
  /** All metrics in Prometheus's format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Records that a response begins, for routes that write it past the framework. */
export type Answered = (request: FastifyRequest, reply: FastifyReply) => void;
