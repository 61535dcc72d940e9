import { join } from 'node:path';

export interface S3Config {
  readonly kind: 's3';
  readonly bucket: string;
  /** Has no slash at either end; may be empty. */
  readonly prefix: string;
  /** Null: Amazon's endpoint. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null: the S3 client's default credential chain. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

export type BlobConfig = { readonly kind: 'memory' } | { readonly kind: 'file'; readonly path: string } | S3Config;

export interface BlobVariables {
  readonly url: string;
  readonly dataDir: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export const BLOB_URL_FORMS = 'memory:, file:<path> or s3://bucket/prefix?endpoint=https://host&region=name';

const DEFAULT_REGION = 'us-east-1';
const S3_OPTIONS: ReadonlySet<string> = new Set(['endpoint', 'region']);
/** Amazon's rule for bucket names. Other servers accept nothing beyond it in a path. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function parseS3({ url, accessKeyId, secretAccessKey }: BlobVariables): BlobConfig | null {
  if (!URL.canParse(url)) return null;
  const { hostname: bucket, pathname, searchParams, username, password, port, hash } = new URL(url);
  const endpoint = searchParams.get('endpoint');
  const isPlain = username === '' && password === '' && port === '' && hash === '';
  const isKnown = [...searchParams.keys()].every((name) => S3_OPTIONS.has(name));
  const isReachable = endpoint === null || (/^https?:\/\//.test(endpoint) && URL.canParse(endpoint));
  if (!isPlain || !isKnown || !isReachable || !BUCKET.test(bucket)) return null;
  return {
    kind: 's3',
    bucket,
    prefix: decodeURIComponent(pathname).replace(/^\/+|\/+$/g, ''),
    endpoint,
    region: searchParams.get('region') || DEFAULT_REGION,
    credentials: accessKeyId === '' ? null : { accessKeyId, secretAccessKey },
  };
}

/** Parses `BLOB_URL`. Null when it is invalid. */
export function parseBlobUrl(variables: BlobVariables): BlobConfig | null {
  const { url, dataDir } = variables;
  if (url === '') return { kind: 'file', path: join(dataDir, 'blobs') };
  if (url === 'memory:') return { kind: 'memory' };
  if (/^file:./.test(url)) return { kind: 'file', path: url.slice('file:'.length).replace(/^\/\/(?=\/)/, '') };
  return url.startsWith('s3://') ? parseS3(variables) : null;
}
