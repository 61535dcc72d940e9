import type { Actor } from '../actor.ts';
import { type BlobArea, blobGroup, blobKey } from '../blobs/keys.ts';
import { createBoundedCache } from '../bounded-cache.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { BlobContent, Blobs, ByteRange } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gauges } from '../ports/gauges.ts';
import type { Images } from '../ports/images.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { assertWithin, parseFormat, parseFormats, type ResizeFormat, targetSize, variantOf } from './formats.ts';
import { createSemaphore } from './semaphore.ts';
import { createVariantCache } from './variant-cache.ts';

/** What a caller asks for: a size, or the place of one in the list of the settings, from 0. */
export type ResizeRequest = { readonly format: string } | { readonly position: number };

/** An image as it was stored. */
export interface ImageSource {
  readonly area: BlobArea;
  readonly owner: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Whether it has not been removed meanwhile. */
  exists(): Promise<boolean>;
}

export interface ResizedImage {
  /** Tells apart what is made of one original. */
  readonly variant: string;
  /** Whether everybody who may see the original may have it in this size. */
  readonly isForAll: boolean;
  /**
   * The image; made now if nobody has asked for it before. Small ones that were asked for lately are at hand, others are
   * read from the store. Null when the original is gone.
   *
   * @throws `image.unreadable`, `image.too_large`, `image.format_invalid`, `image.busy`, `blobs.unavailable`
   */
  open(): Promise<Uint8Array | BlobContent | null>;
  /** What `open` gave from the store, once more, or a part of it. @throws as `open` */
  read(range?: ByteRange): Promise<BlobContent | null>;
}

export interface ResizingLimits {
  /** Images resized at once. */
  readonly concurrency: number;
  /** Pixels of a side of what is made, at most. */
  readonly maxSide: number;
}

export interface ResizingDeps {
  readonly blobs: Blobs;
  readonly images: Images;
  readonly settings: SettingsReader;
  readonly limits: ResizingLimits;
  readonly gauges: Gauges;
  readonly clock: Clock;
}

export type Resizing = ReturnType<typeof createResizing>;

export const DEFAULT_RESIZE_CONCURRENCY = 2;
export const DEFAULT_MAX_IMAGE_SIDE = 8192;
export const DEFAULT_MAX_IMAGE_PIXELS = 100_000_000;

/** Those who wait for each that runs: a page of thumbnails that nobody has seen before comes through. */
const WAITING_PER_TURN = 16;
/** Bytes of an original at most: it is decoded from memory. */
const MAX_SOURCE_BYTES = 67_108_864;

/** Images that are at hand: what is kept for an original under a name never changes. Bytes. */
const AT_HAND = { capacity: 33_554_432, largest: 262_144 } as const;

/** What is wrong with an image stays wrong; it is not tried again for so long. Milliseconds. */
const FAILURE_LIFETIME_MS = 60_000;
const MAX_FAILURES = 1000;
const LASTING: ReadonlySet<ErrorCode> = new Set(['image.unreadable', 'image.too_large', 'image.format_invalid']);

const IMAGE_TYPE = /^image\/(?:jpeg|png|gif|webp)\b/i;

/** The bytes of a blob in one piece of their own. */
async function collect({ size, bytes }: BlobContent): Promise<Uint8Array> {
  const all = new Uint8Array(size);
  let at = 0;
  for await (const piece of bytes) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Makes images smaller, once for each size, and keeps what it made beside the original. */
export function createResizing({ blobs, images, settings, limits, gauges, clock }: ResizingDeps) {
  const { concurrency, maxSide } = limits;
  const semaphore = createSemaphore({ running: concurrency, waiting: concurrency * WAITING_PER_TURN });
  gauges.add({ name: 'images_waiting', help: 'Images that wait to be resized', read: () => semaphore.waiting });
  const atHand = createVariantCache(AT_HAND);
  /** The list of the settings, as long as it is the same. */
  let known: { readonly text: string; readonly list: readonly ResizeFormat[] } = { text: '', list: [] };
  const failures = createBoundedCache<string, { readonly error: AppError; readonly until: number }>(MAX_FAILURES);
  /** What is being made, by the key under which it will be. */
  const underWay = new Map<string, Promise<void>>();

  async function make(source: ImageSource, format: ResizeFormat): Promise<void> {
    const { area, owner } = source;
    const original = await blobs.get(blobKey(area, owner));
    if (original === null) return;
    const bytes = await collect(original);
    const size = targetSize(format, images.inspect(bytes), maxSide);
    const result = await images.resize(bytes, size);
    await blobs.put(blobKey(area, owner, variantOf(format)), one(result));
    // Who removes an original takes its row away first and then all its blobs. If this one came after that, the row is
    // gone by now.
    if (!(await source.exists())) await blobs.removeGroup(blobGroup(area, owner));
  }

  /** Makes it, or waits for who does so already. */
  async function made(source: ImageSource, format: ResizeFormat): Promise<void> {
    const key = blobKey(source.area, source.owner, variantOf(format));
    const failed = failures.get(key);
    if (failed !== undefined && clock.now() < failed.until) throw failed.error;
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
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const work = semaphore.run(() => make(source, format)).finally(() => underWay.delete(key));
    underWay.set(key, work);
    return work;
  }

  /** What is kept under a key, at hand if it is small enough. */
  async function kept(key: string): Promise<Uint8Array | BlobContent | null> {
    const content = await blobs.get(key);
    if (content === null || !atHand.takes(content.size)) return content;
    const bytes = await collect(content);
    atHand.set(key, bytes);
    return bytes;
  }

  function listOf(text: string): readonly ResizeFormat[] {
    if (known.text !== text) known = { text, list: parseFormats(text) };
    return known.list;
  }

  function requested(request: ResizeRequest, list: readonly ResizeFormat[]): ResizeFormat {
    const format = 'format' in request ? parseFormat(request.format) : (list[request.position] ?? null);
    if (format === null) throw new AppError('image.format_invalid');
    assertWithin(format, maxSide);
    return format;
  }

  return {
    /**
     * Looks whether the caller, who may see the original, may have it in this size. Nothing is read or made before
     * `open` is called.
     *
     * @throws `image.resize_off`, `image.format_invalid`, `image.format_refused`, `image.unreadable` when it is none,
     *   `image.too_large`
     */
    async resized(actor: Actor, request: ResizeRequest, source: ImageSource): Promise<ResizedImage> {
      const values = await settings.current();
      const list = listOf(values['image.allowed.automatic.resize.formats']);
      const format = requested(request, list);
      if (!values['image.allows.automatic.resize']) throw new AppError('image.resize_off');
      const variant = variantOf(format);
      const isForAll = list.some((allowed) => variantOf(allowed) === variant);
      if (!isForAll && !actor.isAdmin) throw new AppError('image.format_refused');
      if (!IMAGE_TYPE.test(source.contentType)) throw new AppError('image.unreadable');
      if (source.size > MAX_SOURCE_BYTES) throw new AppError('image.too_large');
      const key = blobKey(source.area, source.owner, variant);
      return {
        variant,
        isForAll,
        async open() {
          const known = atHand.get(key) ?? (await kept(key));
          if (known !== null) return known;
          await made(source, format);
          return kept(key);
        },
        read: (range) => blobs.get(key, range),
      };
    },
  };
}
