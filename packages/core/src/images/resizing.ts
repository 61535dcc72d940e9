import type { Actor } from '../actor.ts';
import { type BlobArea, blobGroup, blobKey } from '../blobs/keys.ts';
import { createBoundedCache } from '../caches.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { BlobContent, Blobs, ByteRange } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gauges } from '../ports/gauges.ts';
import type { Images } from '../ports/images.ts';
import { createSemaphore } from '../semaphore.ts';
import {
  assertWithin,
  parseFormat,
  parseFormats,
  type ResizeFormat,
  targetSize,
  textOf,
  variantOf,
} from '../settings/image-formats.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { lasts } from '../time/waits.ts';
import { createVariantCache } from './variant-cache.ts';

/** Requested size: a format, or its index in the list in the settings, from 0. */
export type ResizeRequest = { readonly format: string } | { readonly position: number };

/** A stored original image. */
export interface ImageSource {
  readonly area: BlobArea;
  readonly owner: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** Resolves to true if the original still exists. */
  exists(): Promise<boolean>;
}

export interface ResizedImage {
  /** Distinguishes the variants of one original. */
  readonly variant: string;
  /** True if every caller with read access to the original may request this size. */
  readonly isForAll: boolean;
  /**
   * Opens the image, and resizes it on the first request. Small, recently requested images come from memory, others
   * from the blob store. Null if the original has been removed.
   *
   * @throws `image.unreadable`, `image.too_large`, `image.format_invalid`, `image.busy`, `blobs.unavailable`,
   * `blobs.missing`
   */
  open(): Promise<Uint8Array | BlobContent | null>;
  /** Reopens the content, or a part of it, that `open` returned from the blob store. @throws as `open` */
  read(range?: ByteRange): Promise<BlobContent | null>;
}

export interface ResizingLimits {
  /** Maximum number of images resized concurrently. */
  readonly concurrency: number;
  /** Maximum side of a resized image, in pixels. */
  readonly maxSide: number;
  /** Maximum size of an original, which is decoded from memory, in bytes. Default: 64 MiB. */
  readonly maxSourceBytes?: number;
  /** Maximum size of the images kept in memory, in bytes. Default: 32 MiB. */
  readonly cacheBytes?: number;
}

export interface ResizingDeps {
  readonly blobs: Blobs;
  readonly images: Images;
  readonly settings: SettingsReader;
  readonly resizingLimits: ResizingLimits;
  readonly gauges: Gauges;
  readonly clock: Clock;
}

export type Resizing = ReturnType<typeof createResizing>;

/** Waiting tasks allowed per running one. Enough for a page of thumbnails requested for the first time. */
const WAITING_PER_TURN = 16;
const DEFAULT_MAX_SOURCE_BYTES = 67_108_864;

/** Limits of the memory cache, in bytes. Entries do not expire, because the variants of an original never change. */
const DEFAULT_CACHE_BYTES = 33_554_432;
const LARGEST_ENTRY = 262_144;

/** Time before an unreadable image is tried again, in milliseconds. */
const FAILURE_LIFETIME_MS = 60_000;
const MAX_FAILURES = 1000;
const LASTING: ReadonlySet<ErrorCode> = new Set(['image.unreadable', 'image.too_large', 'image.format_invalid']);

const IMAGE_TYPE = /^image\/(?:jpeg|a?png|gif|webp)\b/i;

/** Reads a blob into one array that the caller owns. */
async function collect({ size, bytes }: BlobContent): Promise<Uint8Array> {
  const all = new Uint8Array(size);
  let at = 0;
  for await (const chunk of bytes) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Returns the sizes for messages: `25%, <=80px`. */
const sizesIn = (list: readonly ResizeFormat[]) => (list.length === 0 ? 'no sizes' : list.map(textOf).join(', '));

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Resizes images, once per size, and stores the variants with the original. */
export function createResizing({ blobs, images, settings, resizingLimits, gauges, clock }: ResizingDeps) {
  const {
    concurrency,
    maxSide,
    maxSourceBytes = DEFAULT_MAX_SOURCE_BYTES,
    cacheBytes = DEFAULT_CACHE_BYTES,
  } = resizingLimits;
  const semaphore = createSemaphore({
    running: concurrency,
    waiting: concurrency * WAITING_PER_TURN,
    refusal: () => new AppError('image.busy'),
  });
  gauges.add({ name: 'images_waiting', help: 'Images that wait to be resized', read: () => semaphore.waiting });
  const cache = createVariantCache({ capacity: cacheBytes, largest: LARGEST_ENTRY });
  /** Cached list of sizes, with the text of the setting it was parsed from. */
  let known: { readonly text: string; readonly list: readonly ResizeFormat[] } = { text: '', list: [] };
  const failures = createBoundedCache<string, { readonly error: AppError; readonly until: number }>(MAX_FAILURES);
  /** Resizing in progress, by variant key. */
  const inProgress = new Map<string, Promise<void>>();

  async function make(source: ImageSource, format: ResizeFormat): Promise<void> {
    const { area, owner } = source;
    const original = await blobs.get(blobKey(area, owner));
    if (original === null) {
      if (await source.exists()) throw new AppError('blobs.missing');
      return;
    }
    const bytes = await collect(original);
    const size = targetSize(format, images.inspect(bytes), maxSide);
    const result = await images.resize(bytes, size);
    await blobs.put(blobKey(area, owner, variantOf(format)), one(result));
    // A removal deletes the row first and then all blobs of the original. If this variant was stored after that, the
    // row no longer exists.
    if (!(await source.exists())) await blobs.removeGroup(blobGroup(area, owner));
  }

  /** Stores the variant, or waits for a concurrent call that is storing it. */
  async function ensureVariant(source: ImageSource, format: ResizeFormat): Promise<void> {
    const key = blobKey(source.area, source.owner, variantOf(format));
    const failed = failures.get(key);
    if (failed !== undefined && lasts(failed.until, clock.now(), FAILURE_LIFETIME_MS)) throw failed.error;
    try {
      await shared(key, source, format);
    } catch (error) {
      if (isAppError(error) && LASTING.has(error.code)) {
        failures.set(key, { error, until: clock.now() + FAILURE_LIFETIME_MS });
      }
      throw error;
    }
  }

  function shared(key: string, source: ImageSource, format: ResizeFormat): Promise<void> {
    const known = inProgress.get(key);
    if (known !== undefined) return known;
    const work = semaphore.run(() => make(source, format)).finally(() => inProgress.delete(key));
    inProgress.set(key, work);
    return work;
  }

  /** Reads the stored variant. Caches it in memory if it is small enough. */
  async function readVariant(key: string): Promise<Uint8Array | BlobContent | null> {
    const content = await blobs.get(key);
    if (content === null || !cache.takes(content.size)) return content;
    const bytes = await collect(content);
    cache.set(key, bytes);
    return bytes;
  }

  function listOf(text: string): readonly ResizeFormat[] {
    if (known.text !== text) known = { text, list: parseFormats(text) };
    return known.list;
  }

  function requested(request: ResizeRequest, list: readonly ResizeFormat[]): ResizeFormat {
    const isNumbered = 'position' in request;
    const format = isNumbered ? (list[request.position] ?? null) : parseFormat(request.format);
    if (format === null) {
      throw new AppError('image.format_invalid', isNumbered ? { detail: `the list has ${sizesIn(list)}` } : {});
    }
    assertWithin(format, maxSide);
    return format;
  }

  return {
    /**
     * Checks that this size of the image can be served to a caller with read access to it. Reads and resizes nothing
     * until `open` is called.
     *
     * @throws `image.resize_off`, `image.format_invalid`, `image.format_refused`, `image.format_unsupported`,
     * `image.unreadable` if the file is not an image, `image.too_large`
     */
    async resized(actor: Actor, request: ResizeRequest, source: ImageSource): Promise<ResizedImage> {
      const values = await settings.current();
      const list = listOf(values['image.allowed.automatic.resize.formats']);
      const format = requested(request, list);
      if (!values['image.allows.automatic.resize']) throw new AppError('image.resize_off');
      const variant = variantOf(format);
      const isForAll = list.some((allowed) => variantOf(allowed) === variant);
      if (!isForAll && !actor.isAdmin) {
        throw new AppError('image.format_refused', { detail: `the list has ${sizesIn(list)}` });
      }
      if (!IMAGE_TYPE.test(source.contentType)) {
        if (!/^image\//i.test(source.contentType)) throw new AppError('image.unreadable');
        throw new AppError('image.format_unsupported', { detail: `this is ${source.contentType}` });
      }
      if (source.size > maxSourceBytes) {
        const detail = `it has ${source.size} bytes, and the limit of this server is ${maxSourceBytes}`;
        throw new AppError('image.too_large', { detail });
      }
      const key = blobKey(source.area, source.owner, variant);
      return {
        variant,
        isForAll,
        async open() {
          const known = cache.get(key) ?? (await readVariant(key));
          if (known !== null) return known;
          await ensureVariant(source, format);
          return readVariant(key);
        },
        read: (range) => blobs.get(key, range),
      };
    },
  };
}
