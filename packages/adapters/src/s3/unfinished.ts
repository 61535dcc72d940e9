import { randomUUID } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import { type BlobKey, parseBlobKey } from '@baobab/core';
import type { Place, Sdk } from './client.ts';
import type { Deadline } from './deadline.ts';
import { isMissing, isNotImplemented } from './errors.ts';

/**
 * Not every server can list the uploads below a prefix (MinIO takes the prefix for a whole key), and those that nobody
 * finishes cost space forever. So each upload in parts has a marker, an object of its own that says which key it is for
 * and, as soon as that is known, by which id:
 *
 * 1. The marker is written, empty. 2. The upload begins. 3. The marker is written again, with the id. 4. Parts are sent.
 * 5. The upload is completed or aborted. 6. The marker is removed.
 *
 * A crash at any point leaves the marker. With an id in it, that upload is aborted; one that is gone by then is no error.
 * An empty marker stands for every upload of its key: those of one key all servers can list.
 */
const MARKERS = 'unfinished/';

/** Below which all markers are; no key of a blob begins so. */
export const markersUnder = (prefix: string): string => prefix + MARKERS;

export const newMarker = (prefix: string, key: BlobKey): string => `${prefix}${MARKERS}${key}/${randomUUID()}`;

/** The way to the server for one task, all requests of which end at its deadline. */
export interface Access {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly deadline: Deadline;
}

export interface Marker {
  /** As the server knows it. */
  readonly key: string;
  readonly size: number;
}

/** The key of the upload that a marker is for; null when it is none of ours. */
function keyOf(marker: string, prefix: string): BlobKey | null {
  const key = marker.slice(markersUnder(prefix).length, marker.lastIndexOf('/'));
  return parseBlobKey(key) === null ? null : key;
}

/** Aborts an upload; one that the server does not know any more is no error. */
export async function abortUpload({ sdk, client, deadline }: Access, place: Place, UploadId: string): Promise<void> {
  try {
    await client.send(new sdk.AbortMultipartUploadCommand({ ...place, UploadId }), deadline);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** The id that a marker holds; empty when it holds none, or is gone. */
async function idIn({ sdk, client, deadline }: Access, place: Place): Promise<string> {
  try {
    const { Body } = await client.send(new sdk.GetObjectCommand(place), deadline);
    return (await Body?.transformToString()) ?? '';
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

/** The uploads under way of exactly this key; none where the server cannot tell. */
async function uploadsOf({ sdk, client, deadline }: Access, { Bucket, Key }: Place) {
  try {
    const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: Key }), deadline);
    return Uploads.filter((upload) => upload.Key === Key);
  } catch (error) {
    if (isNotImplemented(error)) return [];
    throw error;
  }
}

/** Aborts the uploads of this key that began before `olderThan`. Resolves to whether these were all. */
async function abortUploadsOf(access: Access, place: Place, olderThan: number): Promise<boolean> {
  let areAll = true;
  for (const { UploadId, Initiated } of await uploadsOf(access, place)) {
    if (UploadId === undefined || (Initiated?.getTime() ?? 0) >= olderThan) areAll = false;
    else await abortUpload(access, place, UploadId);
  }
  return areAll;
}

/** Aborts what a marker stands for, then removes the marker. Resolves to whether it did. */
export async function sweepMarker(
  access: Access,
  { key, size }: Marker,
  { Bucket, prefix, olderThan }: { readonly Bucket: string; readonly prefix: string; readonly olderThan: number },
): Promise<boolean> {
  const uploaded = keyOf(key, prefix);
  if (uploaded === null) return false;
  const place = { Bucket, Key: prefix + uploaded };
  const uploadId = size === 0 ? '' : await idIn(access, { Bucket, Key: key });
  if (uploadId !== '') await abortUpload(access, place, uploadId);
  else if (!(await abortUploadsOf(access, place, olderThan))) return false;
  const { sdk, client, deadline } = access;
  await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key }), deadline);
  return true;
}
