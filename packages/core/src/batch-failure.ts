import type { AppError } from './errors.ts';

/** The failure of one operation of an atomic batch, because of which none took effect. */
export class BatchFailure extends Error {
  override readonly name = 'BatchFailure';
  /** Which operation failed, from 0. */
  readonly operation: number;
  readonly failure: AppError;

  constructor(operation: number, failure: AppError) {
    super(`operations[${operation}]: ${failure.message}`, { cause: failure });
    this.operation = operation;
    this.failure = failure;
  }
}

/** By name, not by class: two copies of this module may be loaded. */
export function isBatchFailure(error: unknown): error is BatchFailure {
  return error instanceof Error && error.name === 'BatchFailure';
}
