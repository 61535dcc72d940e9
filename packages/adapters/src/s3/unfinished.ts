import { randomUUID } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import { type BlobKey, parseBlobKey } from '@baobab/core';
import type { ObjectAddress, Sdk } from './client.ts';
import type { Deadline } from './deadline.ts';
import { isMissing, isUnsupported } from './errors.ts';

/**
 * Not all servers can list the uploads below a prefix (MinIO treats the prefix as a whole key), and unfinished uploads
 * take up space forever. So each multipart upload has a marker, a separate object that contains the key of the blob
 * and, once known, the id of the upload:
 *
 * 1. The marker is written, empty. 2. The upload begins. 3. The marker is written again, with the id. 4. Parts are
 * sent.
 * 5. The upload is completed or aborted. 6. The marker is removed.
 *
 * A crash at any point leaves the marker. If it contains an id, that upload is aborted; an upload that no longer exists
 * is not an error. An empty marker represents every upload of its key, which all servers can list.
 */
const MARKERS = 'unfinished/';

/** Returns the prefix of all markers, which never begins a blob key. */
export const markersUnder = (prefix: string): string => prefix + MARKERS;

export const newMarker = (prefix: string, key: BlobKey): string => `${prefix}${MARKERS}${key}/${randomUUID()}`;

/** Access to the server for one task; all its requests end at the deadline. */
export interface Access {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly deadline: Deadline;
}

export interface Marker {
  /** Key of the marker on the server. */
  readonly key: string;
  readonly size: number;
}

/** Returns the blob key of a marker's upload, or null if it is not one of our markers. */
function keyOf(marker: string, prefix: string): BlobKey | null {
  const key = marker.slice(markersUnder(prefix).length, marker.lastIndexOf('/'));
  return parseBlobKey(key) === null ? null : key;
}

/** Aborts an upload. An upload that no longer exists is not an error. */
export async function abortUpload(
  { sdk, client, deadline }: Access,
  place: ObjectAddress,
  UploadId: string,
): Promise<void> {
  try {
    await client.send(new sdk.AbortMultipartUploadCommand({ ...place, UploadId }), deadline);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Returns the upload id in a marker; empty if it has none, or the marker is gone. */
async function idIn({ sdk, client, deadline }: Access, place: ObjectAddress): Promise<string> {
  try {
    const { Body } = await client.send(new sdk.GetObjectCommand(place), deadline);
    return (await Body?.transformToString()) ?? '';
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

/** Returns the uploads in progress of exactly this key; none if the server cannot list them. */
async function uploadsOf({ sdk, client, deadline }: Access, { Bucket, Key }: ObjectAddress) {
  try {
    const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: Key }), deadline);
    return Uploads.filter((upload) => upload.Key === Key);
  } catch (error) {
    if (isUnsupported(error)) return [];
    throw error;
  }
}

/** Aborts the uploads of this key that began before `olderThan`. Resolves to true if there were no others. */
async function abortUploadsOf(access: Access, place: ObjectAddress, olderThan: number): Promise<boolean> {
  let areAll = true;
  for (const { UploadId, Initiated } of await uploadsOf(access, place)) {
    if (UploadId === undefined || (Initiated?.getTime() ?? 0) >= olderThan) areAll = false;
    else await abortUpload(access, place, UploadId);
  }
  return areAll;
}

/** Aborts the uploads of a marker, then removes the marker. Resolves to false if it remains. */
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
