import { parseBlobUrl } from '../../config/blob-url.ts';
import type { Environment, S3Config } from '../../config.ts';
import { UsageError } from '../usage-error.ts';

/** Where an archive is. */
export type Place =
  | { readonly kind: 'file'; readonly path: string }
  /** The prefix is the whole key. */
  | { readonly kind: 's3'; readonly name: string; readonly object: S3Config }
  /** Standard input or output. */
  | { readonly kind: 'pipe' };

/** Parses what `--to` and `--from` name. @throws `UsageError` for an invalid URL */
export function parsePlace(text: string, env: Environment): Place {
  if (text === '-') return { kind: 'pipe' };
  if (!text.startsWith('s3://')) return { kind: 'file', path: text };
  const object = parseBlobUrl(text);
  if (object?.kind !== 's3' || object.prefix === '') {
    throw new UsageError('An archive on S3 is named s3://bucket/key?endpoint=https://host&region=name');
  }
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env;
  const credentials = accessKeyId === '' || secretAccessKey === '' ? null : { accessKeyId, secretAccessKey };
  return { kind: 's3', name: `s3://${object.bucket}/${object.prefix}`, object: { ...object, credentials } };
}
