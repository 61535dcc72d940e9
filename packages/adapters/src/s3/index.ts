export { createS3Blobs } from './blobs.ts';
export type { S3Limits, S3Options } from './client.ts';
export { createS3Object, type S3Object } from './object.ts';
