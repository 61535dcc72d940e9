import type { Signal } from '@baobab/core';

/** Metrics of a process as the metrics library exports them; opaque to all intermediaries. */
export type Numbers = readonly object[];

/** Reports of workers on request: their metrics, or their logged requests. */
export type Measured = 'metrics' | 'requests';

/** Message from a worker to the primary. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'stopping' }
  /** Renews the lease on its caches. One at a time. */
  | { readonly kind: 'beat' }
  /** Requests an answer once the other workers have received all signals that it sent before. */
  | { readonly kind: 'barrier'; readonly id: number }
  /** Confirms that it has received all signals before this question. */
  | { readonly kind: 'heard'; readonly id: number }
  /** Requests the state of all workers. */
  | { readonly kind: 'serving'; readonly id: number }
  | { readonly kind: 'signal'; readonly signal: Signal }
  /** Requests the metrics, or the logged requests, of all workers. */
  | { readonly kind: 'gather'; readonly id: number; readonly what: Measured }
  /** Its own metrics, on request. */
  | { readonly kind: 'numbers'; readonly id: number; readonly numbers: Numbers };

/** Message from the primary to a worker. */
export type Order =
  | { readonly kind: 'stop' }
  /** Null if signals may have been lost. */
  | { readonly kind: 'signal'; readonly signal: Signal | null }
  | { readonly kind: 'beat' }
  | { readonly kind: 'barrier'; readonly id: number }
  | { readonly kind: 'heard'; readonly id: number }
  | { readonly kind: 'serving'; readonly id: number; readonly all: boolean }
  | { readonly kind: 'measure'; readonly id: number; readonly what: Measured }
  | { readonly kind: 'gathered'; readonly id: number; readonly numbers: readonly Numbers[] };

/**
 * Time for which a worker trusts its caches after its last renewal, in milliseconds. Messages arrive in order, so with
 * the answer it has all signals that were sent before. A worker that hangs for longer trusts nothing until it has
 * renewed its lease, so other workers never wait longer than this for it.
 */
export const LEASE_MS = 2_000;
