import type { S3Client } from '@aws-sdk/client-s3';
import { createAgents } from './agents.ts';

export interface S3Options {
  readonly bucket: string;
  /** In front of every key, without a slash at either end; may be empty. */
  readonly prefix: string;
  /** `http://host:port` or `https://…` of a server that speaks the protocol; null for Amazon's own. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null: from where Amazon's tools take them. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  readonly limits?: Partial<S3Limits>;
}

/** Milliseconds, but for the last. */
export interface S3Limits {
  /** Until a connection stands. */
  readonly connect: number;
  /** Until an answer to one attempt begins, where nothing is uploaded with it. */
  readonly answer: number;
  /** For one request, all attempts together; a download until its bytes begin. */
  readonly request: number;
  /** Until what is uploaded in one request has arrived, all attempts together. */
  readonly part: number;
  /** Until the last part has arrived and all are put together. */
  readonly finish: number;
  /** In which nothing at all is sent or received: also how long a slow reader may pause. */
  readonly idle: number;
  /** How often a request is tried in all. */
  readonly attempts: number;
}

/** Until a failed upload has been dropped: its client waits. Milliseconds. */
export const DROP_MS = 3_000;

/**
 * What a client waits for is to end before its connection to us does, after 50 seconds without movement: an upload that
 * fails takes `part`, `DROP_MS` and a `request` to clean up. `finish` may take longer, for uploads of many parts.
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

export const limitsOf = ({ limits }: S3Options): S3Limits => ({ ...DEFAULT_LIMITS, ...limits });

/** Downloads and uploads under way at once: beyond it they wait. */
const MAX_SOCKETS = 512;

/** The SDK is large: it is loaded when it is used. */
export const loadSdk = () => import('@aws-sdk/client-s3');

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** Where an object is. */
export interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** Where the object of an upload is to be, and the marker of the upload while it is under way; see `unfinished.ts`. */
export interface Target {
  readonly place: Place;
  readonly marker: Place;
}

export function createClient(sdk: Sdk, options: S3Options): S3Client {
  const { endpoint, region, credentials } = options;
  const { connect, answer, idle, attempts } = limitsOf(options);
  return new sdk.S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: attempts,
    // Other servers than Amazon's know nothing of the checksums that the SDK would add.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connect,
      requestTimeout: answer,
      throwOnRequestTimeout: true,
      socketTimeout: idle,
      ...createAgents(MAX_SOCKETS),
    },
  });
}
