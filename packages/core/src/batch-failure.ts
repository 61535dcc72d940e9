import type { AppError } from './errors.ts';

/** Failure of one operation of an atomic batch, because of which none took effect. */
export class BatchFailure extends Error {
  override readonly name = 'BatchFailure';
  /** Index of the failed operation, from 0. */
  readonly operation: number;
  readonly failure: AppError;

  constructor(operation: number, failure: AppError) {
    super(`operations[${operation}]: ${failure.message}`, { cause: failure });
    this.operation = operation;
    this.failure = failure;
  }
}

/** Checks the name, not the class, because two copies of this module may be loaded. */
export function isBatchFailure(error: unknown): error is BatchFailure {
  return error instanceof Error && error.name === 'BatchFailure';
}
