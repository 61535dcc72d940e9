import { type Environment, parseBucket, type S3Config } from '../../config.ts';
import { UsageError } from '../usage-error.ts';

/** Location of an archive. */
export type ArchivePlace =
  | { readonly kind: 'file'; readonly path: string }
  /** The prefix is the complete key. */
  | { readonly kind: 's3'; readonly name: string; readonly object: S3Config }
  /** Standard input or output. */
  | { readonly kind: 'pipe' };

/** Parses the value of `--to` or `--from`. @throws `UsageError` for an invalid URL */
export function parsePlace(text: string, env: Environment): ArchivePlace {
  if (text === '-') return { kind: 'pipe' };
  if (!text.startsWith('s3://')) return { kind: 'file', path: text };
  const object = parseBucket(text, env);
  if (object === null || object.prefix === '') {
    throw new UsageError('An archive on S3 is named s3://bucket/key?endpoint=https://host&region=name');
  }
  return { kind: 's3', name: `s3://${object.bucket}/${object.prefix}`, object };
}
