import { AppError } from '@baobab/core';
import { JobFailure } from './pool.ts';

/** An image on which a decoder fails or times out is unreadable. When a thread ends otherwise, the service is busy. */
export function translate(error: unknown): AppError {
  const isOurs = error instanceof JobFailure && (error.reason === 'thread' || error.reason === 'closed');
  return new AppError(isOurs ? 'image.busy' : 'image.unreadable', { cause: error });
}
