import type { Actor } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Traffic } from './schemas/traffic.ts';

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

/** The metrics that administrators and scrapers read. */
export interface RequestMetrics {
  /** The requests of the last hour. */
  traffic(): Promise<Static<typeof Traffic>>;
  /** All metrics in Prometheus's format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Records that a response begins, for routes that write it past the framework. */
export type Answered = (request: FastifyRequest, reply: FastifyReply) => void;
