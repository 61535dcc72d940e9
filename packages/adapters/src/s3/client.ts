import type { S3Client } from '@aws-sdk/client-s3';
import { agentsFor, type Proxies } from '../outbound/index.ts';
import { type Address, correctAddress } from './address.ts';

export interface S3Options {
  readonly bucket: string;
  /** Prefix of every key, without a slash at either end; may be empty. */
  readonly prefix: string;
  /** `http://host:port` or `https://…` of a compatible server; null for Amazon S3. */
  readonly endpoint: string | null;
  readonly region: string;
  /** True if the bucket is part of the path instead of the host. Null to follow the server. */
  readonly pathStyle?: boolean | null;
  /** Null for the default credential chain of the AWS SDK. */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    /** For temporary keys. */
    readonly sessionToken?: string;
  } | null;
  readonly limits?: Partial<S3Limits>;
  readonly proxies?: Proxies | null;
}

/** Limits in milliseconds, except `attempts`. */
export interface S3Limits {
  /** Time until a connection is established. */
  readonly connect: number;
  /** Time until the response to one attempt begins, for requests without an upload. */
  readonly answer: number;
  /** Duration of one request with all its attempts; for a download until its bytes begin. */
  readonly request: number;
  /** Duration of an upload in one request, with all its attempts. */
  readonly part: number;
  /** Time until the last part has arrived and the parts are combined. */
  readonly finish: number;
  /** Time without any traffic; also limits the pauses of a slow reader. */
  readonly idle: number;
  /** Maximum attempts of a request. */
  readonly attempts: number;
}

/** Maximum time to drop a failed upload while the client waits, in milliseconds. */
export const DROP_MS = 3_000;

/**
 * Our response must arrive before the client's connection to us times out, after 50 seconds without traffic. An upload
 * that fails takes `part`, `DROP_MS` and a `request` to clean up. `finish` may take longer, for uploads with many
 * parts.
 */
const DEFAULT_LIMITS: S3Limits = {
  connect: 5_000,
  answer: 10_000,
  request: 15_000,
  part: 30_000,
  finish: 45_000,
  idle: 75_000,
  attempts: 3,
};

/** Amazon's servers, for matching with `NO_PROXY`. */
const AMAZON = 'https://s3.amazonaws.com';

export const limitsOf = ({ limits }: S3Options): S3Limits => ({ ...DEFAULT_LIMITS, ...limits });

/** Maximum concurrent downloads and uploads; further ones wait. */
const MAX_SOCKETS = 512;

/** Loaded on first use, because the SDK is large. */
export const loadSdk = () => import('@aws-sdk/client-s3');

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** Address of an object. */
export interface ObjectAddress {
  readonly Bucket: string;
  readonly Key: string;
}

/** Address of an upload's object, and of the marker that exists during the upload; see `unfinished.ts`. */
export interface Target {
  readonly place: ObjectAddress;
  readonly marker: ObjectAddress;
}

export function createClient(sdk: Sdk, options: S3Options): S3Client {
  const { endpoint, pathStyle = null, credentials, proxies = null } = options;
  const { connect, answer, idle, attempts } = limitsOf(options);
  const address: Address = { region: options.region, pathStyle: pathStyle ?? endpoint !== null };
  const client = new sdk.S3Client({
    region: async () => address.region,
    ...(endpoint === null ? {} : { endpoint }),
    forcePathStyle: address.pathStyle,
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: attempts,
    // Servers other than Amazon's do not support the checksums that the SDK would add.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connect,
      requestTimeout: answer,
      throwOnRequestTimeout: true,
      socketTimeout: idle,
      ...agentsFor(endpoint ?? AMAZON, proxies, { maxSockets: MAX_SOCKETS, keepAlive: true }),
    },
  });
  correctAddress(sdk, client, { address, bucket: options.bucket, isStyleFixed: pathStyle !== null });
  return client;
}
