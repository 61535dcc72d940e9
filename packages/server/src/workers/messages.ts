import type { Signal } from '@baobab/core';

/** The numbers of a process as the metrics library hands them over; nobody on the way looks into them. */
export type Numbers = readonly object[];

/** From a worker to the primary. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'stopping' }
  /** Asks for more time to trust its caches. One at a time. */
  | { readonly kind: 'beat' }
  /** Asks to be told when the others have heard all signals that it sent before. */
  | { readonly kind: 'barrier'; readonly id: number }
  /** It has heard all signals that came before this question. */
  | { readonly kind: 'heard'; readonly id: number }
  /** Asks whether all workers serve. */
  | { readonly kind: 'serving'; readonly id: number }
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
  | { readonly kind: 'beat' }
  | { readonly kind: 'barrier'; readonly id: number }
  | { readonly kind: 'heard'; readonly id: number }
  | { readonly kind: 'serving'; readonly id: number; readonly all: boolean }
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly numbers: readonly Numbers[] };

/**
 * How long a worker trusts its caches after it last asked for that, milliseconds. Messages arrive in order: with the answer
 * it has all signals that were sent before. One that hangs for longer trusts nothing until it has asked again, so nobody
 * has to wait for it longer than that.
 */
export const LEASE_MS = 2_000;
