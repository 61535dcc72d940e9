import type { Actor, Gauges } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request as observers see it. There is no actor when it was refused before its sender was known. */
export type ObservedRequest = FastifyRequest & { readonly actor?: Actor };

/** Called once for each request when its answer is ready. It must not throw. */
export interface RequestObserver {
  /** @param ms milliseconds since the head of the request had arrived */
  observe(request: ObservedRequest, reply: FastifyReply, ms: number): void;
}

/** An observer whose numbers `GET /metrics` shows. */
export interface RequestMetrics extends RequestObserver, Gauges {
  /** All numbers, as Prometheus scrapes them. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}
