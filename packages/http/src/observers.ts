import type { Actor, Gauges } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request as observers see it. It has no actor when it was refused before authentication. */
type ObservedRequest = FastifyRequest & { readonly actor?: Actor };

/** Called once per request, when its response is ready. It must not throw. */
export interface RequestObserver {
  /** @param ms milliseconds since the head of the request arrived */
  observe(request: ObservedRequest, reply: FastifyReply, ms: number): void;
}

/** An observer whose metrics `GET /metrics` shows. */
export interface RequestMetrics extends RequestObserver, Gauges {
  /** All metrics in Prometheus's format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Records that a response begins, for routes that write it past the framework. */
export type Answered = (request: FastifyRequest, reply: FastifyReply) => void;
