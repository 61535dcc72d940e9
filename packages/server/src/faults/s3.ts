import { isAppError } from '@baobab/core';
import { rootCause } from './causes.ts';
import { byCode, type Explanation } from './explanation.ts';

/** Words in the detail of a rejection, the variable to correct if it is not that of the bucket, and the fix. */
const REJECTIONS: ReadonlyArray<readonly [words: RegExp, variable: string | null, remedy: string]> = [
  [/no such bucket/, null, 'create the bucket, or correct its name'],
  [/another region/, null, 'set region to that of the bucket'],
  [/region right/, null, 'correct endpoint and region'],
  [/credentials/, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY', 'set the keys of a user who may use the bucket'],
];

const isUnreachable = byCode({ 'ECONNREFUSED ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN': true });

/**
 * Explains why an S3 bucket cannot be used. Null if an operator cannot fix the cause.
 *
 * @param variable the variable that names the bucket
 */
export function explainS3(error: unknown, variable = 'BLOB_URL'): Explanation | null {
  if (isAppError(error) && error.code === 'blobs.misconfigured') {
    const problem = error.detail ?? '';
    const found = REJECTIONS.find(([words]) => words.test(problem));
    if (found !== undefined) return { variable: found[1] ?? variable, problem, remedy: found[2], cause: null };
  }
  const cause = rootCause(error);
  if (cause === null || isUnreachable(cause.code) === null) return null;
  const remedy = 'start it, or correct the address';
  return { variable, problem: 'no S3 server answers', remedy, cause: cause.message };
}
