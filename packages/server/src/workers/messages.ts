import type { Signal } from '@baobab/core';

/** The numbers of a process as the metrics library hands them over; nobody on the way looks into them. */
export type Numbers = readonly object[];

/** From a worker to the primary. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'signal'; readonly signal: Signal }
  /** Asks for the numbers of all workers. */
  | { readonly kind: 'gather'; readonly id: number }
  /** Its own numbers, which it was asked for. */
  | { readonly kind: 'numbers'; readonly id: number; readonly numbers: Numbers };

/** From the primary to a worker. */
export type Order =
  | { readonly kind: 'stop' }
  /** Null: some may have been lost. */
  | { readonly kind: 'signal'; readonly signal: Signal | null }
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly numbers: readonly Numbers[] };
