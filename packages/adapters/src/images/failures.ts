import { AppError } from '@baobab/core';
import { JobFailure } from '../worker-pool.ts';

/**
 * Translates a failure. An image is unreadable if a decoder fails or times out on it. If a thread ends for another
 * reason, the server is busy.
 */
export function translate(error: unknown): AppError {
  const isOurs = error instanceof JobFailure && (error.reason === 'thread' || error.reason === 'closed');
  return new AppError(isOurs ? 'image.busy' : 'image.unreadable', { cause: error });
}
