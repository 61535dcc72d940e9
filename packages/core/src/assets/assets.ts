import { type Actor, requireAdmin, requireAuthor } from '../actor.ts';
import { blobGroup, blobKey } from '../blobs/keys.ts';
import { atMost } from '../blobs/limited.ts';
import { type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import { storedSortValues, storedSource } from '../criteria/stored-names.ts';
import type { Condition } from '../criteria/syntax.ts';
import { AppError, isAppError, readInput } from '../errors.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import type { ImageSource, ResizedImage, ResizeRequest, Resizing } from '../images/resizing.ts';
import { canonicalJson, type ParsedJson, parseJson } from '../json-text.ts';
import type { BlobContent, Blobs, ByteRange } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { AssetRecord, StoredFile } from '../ports/storage/assets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { assetNames } from './asset-names.ts';

/** An asset with bytes. */
export interface FileAsset extends AssetRecord {
  readonly file: StoredFile;
}

/** Description of an asset, without its bytes. */
export interface AssetDetails {
  readonly name: string;
  /** Null if there is no meta. */
  readonly meta: ParsedJson | null;
}

export interface AssetUpload {
  /** Readable once, no faster than it can be stored. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Description, if it precedes the bytes. Errors in it are then reported before the bytes are read. */
  readonly early: AssetDetails | null;
  /** Called after all bytes have been read. */
  describe(): Promise<AssetDetails & Pick<StoredFile, 'fileName' | 'contentType'>>;
}

export interface AssetsDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly resizing: Resizing;
}

export type Assets = ReturnType<typeof createAssets>;

const NAME = /^(?!\.+$)[A-Za-z0-9._-]{1,128}$/;
const NO_META: ParsedJson = { text: '{}', value: {} };

/**
 * Parses the name and the meta of an asset in a request. `meta` is a text with JSON, or JSON itself.
 *
 * @throws `asset.name_invalid`, `input.json_invalid`, `input.invalid`
 */
export function assetDetails({ name, meta }: { readonly name?: unknown; readonly meta?: unknown }): AssetDetails {
  if (typeof name !== 'string' || !NAME.test(name)) throw new AppError('asset.name_invalid', { input: '/name' });
  if (meta === undefined || meta === null || meta === '') return { name, meta: null };
  return {
    name,
    meta: readInput('/meta', () => parseJson(typeof meta === 'string' ? meta : JSON.stringify(meta), '/meta')),
  };
}

/** Assets, published by administrators and readable for everyone. */
export function createAssets({ storage, blobs, secrets, clock, logger, resizing }: AssetsDeps) {
  async function find(name: string): Promise<AssetRecord> {
    const asset = NAME.test(name) ? await storage.assets.find(name) : null;
    if (asset === null) throw new AppError('asset.not_found');
    return asset;
  }

  async function findFile(name: string): Promise<FileAsset> {
    const asset = await find(name);
    if (asset.file === null) throw new AppError('asset.no_file');
    return asset as FileAsset;
  }

  /** No transaction is needed for a single statement. */
  const apart: Transact = (work) => work(storage);

  async function add(
    actor: Actor,
    { id, name, meta, file }: AssetDetails & { readonly id: string; readonly file: StoredFile | null },
    transact: Transact,
  ): Promise<AssetRecord> {
    requireAdmin(actor);
    const author = requireAuthor(actor);
    const json = readInput('/meta', () => canonicalJson(meta ?? NO_META));
    const asset = { id, name, meta: json, created: clock.now(), file };
    const request = JSON.stringify({ name, meta: asset.meta, file });
    return transact(async (stores) => {
      if (!(await stores.assets.add({ ...asset, authorId: author.id }))) throw new AppError('asset.exists');
      return { ...asset, author: author.name };
    }, request);
  }

  /** Removes the blobs of an asset. After a failure they are orphans, which housekeeping removes later. */
  async function removeBlobs(id: string): Promise<void> {
    try {
      await blobs.removeGroup(blobGroup('assets', id));
    } catch (err) {
      logger.warn({ err, asset: id }, 'bytes of asset not removed, housekeeping will remove them');
    }
  }

  const exists = async (id: string) => (await storage.assets.existing([id])).length === 1;

  const sourceOf = ({ id, file }: FileAsset): ImageSource => ({
    area: 'assets',
    owner: id,
    contentType: file.contentType,
    size: file.size,
    exists: () => exists(id),
  });

  return {
    /** Creates an asset without bytes. @throws `auth.required`, `admin.required`, `asset.exists`, `input.invalid` */
    async createObject(actor: Actor, details: AssetDetails, transact: Transact = apart): Promise<AssetRecord> {
      requireAdmin(actor);
      return add(actor, { ...details, id: secrets.uuid(clock.now()), file: null }, transact);
    },

    /**
     * Creates an asset with bytes. Stores the blob first, then the row that refers to it. If a step fails, nothing is
     * left behind.
     *
     * @param maxBytes maximum size; a larger upload is aborted
     * @throws `auth.required`, `admin.required`, `asset.*`, `file.too_large`, `input.*`, `blobs.unavailable`, the
     * errors of `upload`
     */
    async createFile(
      actor: Actor,
      upload: AssetUpload,
      maxBytes: number,
      transact: Transact | null = null,
    ): Promise<AssetRecord> {
      requireAdmin(actor);
      // The asset of a repeated request exists already. Only the whole request shows that it is the same one.
      if (transact === null && upload.early !== null && (await storage.assets.find(upload.early.name)) !== null) {
        throw new AppError('asset.exists');
      }
      const id = secrets.uuid(clock.now());
      try {
        const { size, sha256 } = await blobs.put(blobKey('assets', id), atMost(upload.bytes, maxBytes));
        const { name, meta, fileName, contentType } = await upload.describe();
        const file = { fileName, contentType, size, sha256 };
        const kept = await add(actor, { id, name, meta, file }, transact ?? apart);
        if (kept.id !== id) await removeBlobs(id);
        return kept;
      } catch (error) {
        // If the database became unavailable, it may have stored the row, so the blob is left to housekeeping.
        if (!isAppError(error) || error.code !== 'storage.unavailable') await removeBlobs(id);
        throw error;
      }
    },

    /** Runs a query. @throws `auth.required`, `admin.required`, `criteria.invalid` */
    async search(actor: Actor, page: SearchPage): Promise<SearchResult<AssetRecord>> {
      requireAdmin(actor);
      return search(page, {
        list: (list) => storage.assets.list(list),
        summarize: (summary) => storage.assets.summarize(summary),
        source: (asset) => storedSource(assetNames(asset)),
        keys: (order, asset) => storedSortValues(order, assetNames(asset)),
        texts: ({ meta }) => [meta],
      });
    },

    /** Returns the number of assets that match the filter. @throws `auth.required`, `admin.required` */
    async count(actor: Actor, where: Condition | null): Promise<number> {
      requireAdmin(actor);
      return storage.assets.count(where);
    },

    /** Removes the asset with its bytes and variants. @throws `auth.required`, `admin.required`, `asset.not_found` */
    async remove(actor: Actor, name: string): Promise<void> {
      requireAdmin(actor);
      const id = NAME.test(name) ? await storage.assets.remove(name) : null;
      if (id === null) throw new AppError('asset.not_found');
      await removeBlobs(id);
    },

    /** @throws `asset.not_found` */
    read: (name: string): Promise<AssetRecord> => find(name),

    /** Returns an asset with bytes. @throws `asset.not_found`, `asset.no_file` */
    readFile: (name: string): Promise<FileAsset> => findFile(name),

    /**
     * Opens the bytes, or a part of them. @throws `asset.not_found` if the asset has just been removed,
     * `blobs.unavailable`, `blobs.missing`
     */
    async open({ id }: FileAsset, range?: ByteRange): Promise<BlobContent> {
      const content = await blobs.get(blobKey('assets', id), range);
      if (content !== null) return content;
      throw new AppError((await exists(id)) ? 'blobs.missing' : 'asset.not_found');
    },

    /** Returns the image in another size; see `Resizing`. @throws `asset.not_found`, `asset.no_file`, `image.*` */
    async resized(
      actor: Actor,
      name: string,
      request: ResizeRequest,
    ): Promise<{ readonly asset: FileAsset; readonly image: ResizedImage }> {
      const asset = await findFile(name);
      return { asset, image: await resizing.resized(actor, request, sourceOf(asset)) };
    },
  };
}
