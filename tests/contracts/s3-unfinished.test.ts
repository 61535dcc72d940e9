import { createS3Blobs, type S3Options } from '@baobab/adapters/s3';
import { type Blobs, blobKey } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noise, s3Options } from '../support/blobs.ts';
import { type FaultyProxy, type SeenRequest, startFaultyProxy } from '../support/faulty-proxy.ts';
import { createWitness, type S3Witness } from '../support/s3-uploads.ts';

const OWNER = '018f0000-0000-7000-8000-000000000002';
const KEY = blobKey('files', OWNER);
const MIB = 1_048_576;
const HOUR = 3_600_000;

const isListing = ({ method, url }: SeenRequest) => method === 'GET' && /[?&]uploads\b/.test(url);
const isBeginning = ({ method, url }: SeenRequest) => method === 'POST' && /[?&]uploads\b/.test(url);
const uploadIdIn = ({ url }: SeenRequest) => decodeURIComponent(/uploadId=([^&]+)/.exec(url)?.[1] ?? '');

/** Amazon's answer to a list of uploads in progress. */
function listOf(prefix: string, uploads: readonly { readonly key: string; readonly id: string }[]): string {
  const entries = uploads.map(
    ({ key, id }) =>
      `<Upload><Key>${prefix}/${key}</Key><UploadId>${id}</UploadId>` +
      `<Initiated>${new Date().toISOString()}</Initiated></Upload>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><ListMultipartUploadsResult>${entries.join('')}</ListMultipartUploadsResult>`;
}

describe('unfinished uploads to S3', () => {
  let options: S3Options;
  let proxy: FaultyProxy;
  let blobs: Blobs;
  let witness: S3Witness;

  beforeEach(async () => {
    options = s3Options();
    if (options.endpoint === null) throw new Error('fault injection needs a server with an endpoint');
    proxy = await startFaultyProxy(options.endpoint);
    blobs = createS3Blobs({ ...options, endpoint: proxy.url });
    witness = createWitness(options);
  });
  afterEach(async () => {
    proxy.behave(() => null);
    for (const key of [KEY, blobKey('files', OWNER, 'original2')]) await blobs.remove(key);
    await blobs.removeUnfinished(Date.now() + HOUR);
    await Promise.all([blobs.close(), witness.close(), proxy.close()]);
  });

  /**
   * Uploads three parts in a process that dies before its request number `at`: later requests do not reach the server.
   */
  async function putAndDie(at: number): Promise<{ readonly isStored: boolean; readonly uploadId: string }> {
    const dying = createS3Blobs({ ...options, endpoint: proxy.url, limits: { attempts: 1 } });
    const before = proxy.seen.length;
    proxy.behave(() => (proxy.seen.length - before >= at ? { kind: 'answer', status: 500 } : null));
    const isStored = await dying.put(KEY, noise(12 * MIB)).then(
      () => true,
      () => false,
    );
    await dying.close();
    proxy.behave(() => null);
    return { isStored, uploadId: proxy.seen.slice(before).map(uploadIdIn).find(Boolean) ?? '' };
  }

  /** Makes the server list these uploads, even one that cannot list any. */
  async function listing(...uploads: readonly { readonly key: string; readonly id: string }[]): Promise<void> {
    const areListed = await Promise.all(uploads.map(({ key, id }) => witness.lists(key, id)));
    if (areListed.every(Boolean)) return;
    proxy.behave((request) =>
      isListing(request) ? { kind: 'answer', status: 200, body: listOf(options.prefix, uploads) } : null,
    );
  }

  it.each([
    ['its marker', 1, { left: 0, isWhole: false }],
    ['the upload', 2, { left: 1, isWhole: false }],
    ['its id', 3, { left: 1, isWhole: false }],
    ['the first part', 4, { left: 1, isWhole: false }],
    ['the second part', 5, { left: 1, isWhole: false }],
    ['the last part', 6, { left: 1, isWhole: false }],
    ['the upload is completed', 7, { left: 1, isWhole: false }],
    ['the marker is removed', 8, { left: 1, isWhole: true }],
    ['anything else', 9, { left: 0, isWhole: true }],
  ])('are swept when a process dies before %s', async (_what, at, { left, isWhole }) => {
    const { isStored, uploadId } = await putAndDie(at);
    expect([isStored, uploadId === '']).toEqual([isWhole, at <= 2]);
    if (at === 3) await listing({ key: KEY, id: uploadId });
    expect(await blobs.removeUnfinished(Date.now() - HOUR)).toBe(0);
    expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(left);
    if (uploadId !== '') expect(await witness.isUnderWay(KEY, uploadId)).toBe(false);
    expect(await witness.objects()).toEqual(isWhole ? [KEY] : []);
    expect(await blobs.stat(KEY)).toEqual(isWhole ? expect.objectContaining({ size: 12 * MIB }) : null);
    expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(0);
  });

  it('are left alone while they are recent', async () => {
    const { uploadId } = await putAndDie(5);
    expect(await blobs.removeUnfinished(Date.now() - HOUR)).toBe(0);
    expect(await witness.isUnderWay(KEY, uploadId)).toBe(true);
    expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(1);
    expect(await witness.isUnderWay(KEY, uploadId)).toBe(false);
  });

  it('are swept when the process died before it knew the id, but those of other keys are not', async () => {
    await putAndDie(2);
    const other = blobKey('files', OWNER, 'original2');
    const [id, otherId] = [await witness.begin(KEY), await witness.begin(other)];
    await listing({ key: KEY, id }, { key: other, id: otherId });
    expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(1);
    expect([await witness.isUnderWay(KEY, id), await witness.isUnderWay(other, otherId)]).toEqual([false, true]);
    expect(await witness.objects()).toEqual([]);
  });

  it('are swept when a retried request began two', async () => {
    const twin = await witness.begin(KEY);
    let isFirst = true;
    proxy.behave((request) => {
      if (!isBeginning(request) || !isFirst) return null;
      isFirst = false;
      return { kind: 'answer', status: 500 }; // and it began `twin` all the same
    });
    expect(await blobs.put(KEY, noise(12 * MIB))).toMatchObject({ size: 12 * MIB });
    await listing({ key: KEY, id: twin });
    expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(1);
    expect(await witness.isUnderWay(KEY, twin)).toBe(false);
    expect(await witness.objects()).toEqual([KEY]);
  });

  it('are retried by the next sweep when the server fails, and forgotten when it cannot list any', async () => {
    await putAndDie(2);
    proxy.behave((request) => (isListing(request) ? { kind: 'answer', status: 500 } : null));
    await expect(blobs.removeUnfinished(Date.now() + HOUR)).rejects.toMatchObject({ code: 'blobs.unavailable' });
    expect(await witness.objects()).toHaveLength(1);
    proxy.behave((request) => (isListing(request) ? { kind: 'answer', status: 501 } : null));
    expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(1);
    expect(await witness.objects()).toEqual([]);
  });

  it('are not blobs, and nothing else is mistaken for one of them', async () => {
    await putAndDie(5);
    await witness.put('unfinished/notes.txt', 'of somebody else');
    expect(await blobs.list({ olderThan: Date.now() + HOUR, cursor: null, limit: 10 })).toMatchObject({ keys: [] });
    expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(1);
    expect(await witness.objects()).toEqual(['unfinished/notes.txt']);
  });
});
