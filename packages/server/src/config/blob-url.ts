/** Parsed `BLOB_URL`. */
export type BlobUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Without a slash at either end; may be empty. */
      readonly prefix: string;
      /** Null for Amazon's endpoint. */
      readonly endpoint: string | null;
      /** Null for the region of the environment, or the default. */
      readonly region: string | null;
      /** True if the bucket is part of the path instead of the host; null to follow the server. */
      readonly pathStyle: boolean | null;
    };

export const BLOB_URL_FORMS =
  'memory:, file:<path> or s3://bucket/prefix?endpoint=https://host&region=name&pathStyle=on';

const S3_OPTIONS: ReadonlySet<string> = new Set(['endpoint', 'region', 'pathStyle']);
const PATH_STYLES: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
]);
/** Amazon's rule for bucket names. Other servers accept no additional names in a path. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Endpoints are named in messages, so they have no credentials. */
function isEndpoint(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Returns null if the escapes are not UTF-8. */
function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

function parseS3(url: string): BlobUrl | null {
  if (!URL.canParse(url)) return null;
  const { hostname: bucket, pathname, searchParams, username, password, port, hash } = new URL(url);
  const endpoint = searchParams.get('endpoint');
  const path = decode(pathname);
  const isPlain = username === '' && password === '' && port === '' && hash === '';
  const isKnown = [...searchParams.keys()].every((name) => S3_OPTIONS.has(name));
  const pathStyle = searchParams.get('pathStyle');
  const isStyle = pathStyle === null || PATH_STYLES.has(pathStyle);
  const isReachable = endpoint === null || isEndpoint(endpoint);
  if (path === null || !isPlain || !isKnown || !isStyle || !isReachable || !BUCKET.test(bucket)) return null;
  return {
    kind: 's3',
    bucket,
    prefix: path.replace(/^\/+|\/+$/g, ''),
    endpoint,
    region: searchParams.get('region') || null,
    pathStyle: PATH_STYLES.get(pathStyle ?? '') ?? null,
  };
}

/** Parses `BLOB_URL`. Returns null if it is invalid. */
export function parseBlobUrl(url: string): BlobUrl | null {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^file:./.test(url)) return { kind: 'file', path: url.slice('file:'.length).replace(/^\/\/(?=\/)/, '') };
  return url.startsWith('s3://') ? parseS3(url) : null;
}
