import { AppError } from '@baobab/core';

export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Translates an error of the file system. The path in it is for the log only. */
export function unavailable(cause: unknown): AppError {
  const full = isErrno(cause, 'ENOSPC', 'EDQUOT') ? { detail: 'the disk is full' } : {};
  return new AppError('blobs.unavailable', { cause, ...full });
}

/** @throws `blobs.unavailable` if `work` fails */
export async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

/** Resolves to null instead of rejecting if the file does not exist. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
