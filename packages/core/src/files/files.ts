import { type AccessScope, allows, RIGHTS } from '../access.ts';
import { type Actor, accessScopeOf, requireAuthor, requireSignedIn } from '../actor.ts';
import { blobGroup, blobKey } from '../blobs/keys.ts';
import { atMost } from '../blobs/limited.ts';
import { type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import { storedSortValues, storedSource } from '../criteria/stored-names.ts';
import type { Condition } from '../criteria/syntax.ts';
import { AppError, isAppError } from '../errors.ts';
import { accessList, type Grantee, parseAction, requireGrantee, revokeFrom } from '../grants.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import type { ResizedImage, ResizeRequest, Resizing } from '../images/resizing.ts';
import { parseJson } from '../json-text.ts';
import type { BlobContent, BlobKey, Blobs, ByteRange } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { NamedGrant } from '../ports/storage/documents.ts';
import type { FileRecord, FoundFile } from '../ports/storage/files.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { isUuid } from '../uuid.ts';
import { parseAttachedData } from './attached-data.ts';
import { fileNames } from './file-names.ts';

/** Form fields sent with the bytes of a file, as texts. */
export interface FileFields {
  /** JSON text of an object; null if there is none. */
  readonly attachedData: string | null;
  /** JSON text of an access list (see `accessList`); null if there is none. */
  readonly acl: string | null;
}

/** Description of a file, complete once its bytes have been read. */
interface FileDescription extends FileFields {
  readonly fileName: string;
  readonly contentType: string;
}

export interface FileUpload {
  /** Readable once, no faster than it can be stored. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Fields that preceded the bytes. Errors in them are reported before the bytes are read. */
  readonly early: FileFields;
  /** Called after all bytes have been read. */
  describe(): Promise<FileDescription>;
}

export interface FileGrantChange {
  readonly id: string;
  readonly action: string;
  readonly grantee: Grantee;
}

/** A file that the caller may read, with access to its bytes. */
export interface OpenedFile {
  readonly file: FileRecord;
  /** @throws `blobs.unavailable`, `blobs.missing`, `file.not_found` if it was removed meanwhile */
  open(range?: ByteRange): Promise<BlobContent>;
}

export interface FilesDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly resizing: Resizing;
}

export type Files = ReturnType<typeof createFiles>;

/** Returns the key of the original bytes of a file. Variants are in the same group. */
const fileBlob = (id: string): BlobKey => blobKey('files', id);

/** Returns the scope of an actor for files. Follow relations give access to documents only. */
const fileScope = (actor: Actor): AccessScope => accessScopeOf(actor, false);

export function createFiles({ storage, blobs, secrets, clock, logger, resizing }: FilesDeps) {
  /** No transaction is needed for a single statement. */
  const apart: Transact = (work) => work(storage);

  function idOf(id: string): string {
    if (!isUuid(id)) throw new AppError('file.not_found');
    return id.toLowerCase();
  }

  /** Refuses a change. For callers who may not read the file, it does not exist. */
  async function refuse(actor: Actor, id: string): Promise<never> {
    const found = await storage.files.find(id, fileScope(actor));
    throw new AppError(found !== null && allows(found.rights, 'read') ? 'access.denied' : 'file.not_found');
  }

  async function read(actor: Actor, id: string): Promise<FoundFile> {
    requireSignedIn(actor);
    const found = await storage.files.find(idOf(id), fileScope(actor));
    if (found === null || !allows(found.rights, 'read')) throw new AppError('file.not_found');
    return found;
  }

  async function checked(actor: Actor, { attachedData, acl }: FileFields) {
    return {
      attachedData: parseAttachedData(attachedData),
      grants: acl === null ? [] : await accessList({ stores: storage, actor }, parseJson(acl)),
    };
  }

  /** Removes the blobs of a file. After a failure they are orphans, which housekeeping removes later. */
  async function removeBlobs(id: string): Promise<void> {
    try {
      await blobs.removeGroup(blobGroup('files', id));
    } catch (err) {
      logger.warn({ err, file: id }, 'bytes of file not removed, housekeeping will remove them');
    }
  }

  return {
    /**
     * Stores a file of the caller. Stores the blob first, then the row that refers to it. If a step fails, nothing is
     * left behind. Uses no database connection while bytes are transferred. A repeated request stores its blob only to
     * compare it with the first one, and removes it again.
     *
     * @param maxBytes maximum size; a larger upload is aborted
     * @throws `auth.required`, `file.too_large`, `input.*`, `grant.*`, `blobs.unavailable`, the errors of `upload`
     */
    async store(actor: Actor, upload: FileUpload, maxBytes: number, transact: Transact = apart): Promise<FileRecord> {
      const author = requireAuthor(actor);
      await checked(actor, upload.early);
      const created = clock.now();
      const id = secrets.uuid(created);
      let isRowTried = false;
      try {
        const { size, sha256 } = await blobs.put(fileBlob(id), atMost(upload.bytes, maxBytes));
        const { fileName, contentType, ...fields } = await upload.describe();
        const { attachedData, grants } = await checked(actor, fields);
        isRowTried = true;
        const described = { fileName, contentType, sha256 };
        const file = { ...described, id, authorId: author.id, size, attachedData, created, grants };
        const request = JSON.stringify({ ...described, ...fields });
        const kept = await transact((stores) => stores.files.add(file), request);
        if (kept.id !== id) await removeBlobs(id);
        return kept;
      } catch (error) {
        // If the database became unavailable, it may have stored the row, so the blob is left to housekeeping.
        const isRefused = isAppError(error) && error.code !== 'storage.unavailable';
        if (!isRowTried || isRefused) await removeBlobs(id);
        throw error;
      }
    },

    /** @throws `auth.required`, `file.not_found` */
    read,

    /** Returns the file with its grants, which are null for callers who may not grant. @throws as `read` */
    async readWithGrants(
      actor: Actor,
      id: string,
    ): Promise<{ file: FileRecord; grants: readonly NamedGrant[] | null }> {
      const file = await read(actor, id);
      return { file, grants: allows(file.rights, 'all') ? await storage.files.grantsOn(file.id) : null };
    },

    /** @throws as `read` */
    async open(actor: Actor, id: string): Promise<OpenedFile> {
      const file = await read(actor, id);
      return {
        file,
        async open(range) {
          const content = await blobs.get(fileBlob(file.id), range);
          if (content !== null) return content;
          await read(actor, id);
          throw new AppError('blobs.missing');
        },
      };
    },

    /** Returns an image in another size; see `Resizing`. @throws as `read`, `image.*` */
    async resized(
      actor: Actor,
      given: string,
      request: ResizeRequest,
    ): Promise<{ readonly file: FileRecord; readonly image: ResizedImage }> {
      const file = await read(actor, given);
      const { id, contentType, size } = file;
      const exists = async () => (await storage.files.existing([id])).length === 1;
      const source = { area: 'files', owner: id, contentType, size, exists } as const;
      return { file, image: await resizing.resized(actor, request, source) };
    },

    /** Removes a file with its variants. @throws `auth.required`, `file.not_found`, `access.denied` */
    async remove(actor: Actor, given: string): Promise<void> {
      requireSignedIn(actor);
      const id = idOf(given);
      const result = await storage.files.remove(id, fileScope(actor));
      if (result !== 'removed') await refuse(actor, id);
      await removeBlobs(id);
    },

    /** Runs a query on the files that the caller may read. @throws `auth.required`, `criteria.invalid` */
    async search(actor: Actor, page: SearchPage): Promise<SearchResult<FileRecord>> {
      requireSignedIn(actor);
      const scope = fileScope(actor);
      return search(page, {
        list: (list) => storage.files.list({ ...list, scope }),
        summarize: (summary) => storage.files.summarize({ ...summary, scope }),
        source: (file) => storedSource(fileNames(file)),
        keys: (order, file) => storedSortValues(order, fileNames(file)),
        texts: ({ attachedData }) => [attachedData],
      });
    },

    /** Returns the number of files that the caller may read and that match the filter. @throws `auth.required` */
    async count(actor: Actor, where: Condition | null): Promise<number> {
      requireSignedIn(actor);
      return storage.files.count({ scope: fileScope(actor), where });
    },

    /**
     * Grants a right to a user, role or group.
     *
     * @throws `auth.required`, `grant.action_unknown`, `user.not_found`, `role.not_found`, `group.not_found`,
     *   `file.not_found`, `access.denied`
     */
    async grant(actor: Actor, { id: given, action, grantee }: FileGrantChange): Promise<void> {
      requireSignedIn(actor);
      const [id, rights] = [idOf(given), RIGHTS[parseAction(action)]];
      const grant = { principal: await requireGrantee(storage, actor, grantee), rights };
      const result = await storage.files.grant(id, fileScope(actor), grant);
      if (result !== 'granted') await refuse(actor, id);
    },

    /** Revokes a right; no error if it was never granted. @throws as `grant` */
    async revoke(actor: Actor, { id: given, action, grantee }: FileGrantChange): Promise<void> {
      requireSignedIn(actor);
      const [id, parsed] = [idOf(given), parseAction(action)];
      const result = await revokeFrom({ stores: storage, actor, grantee }, (principal) =>
        storage.files.revoke(id, fileScope(actor), { principal, action: parsed }),
      );
      if (result === 'missing' || result === 'denied') await refuse(actor, id);
    },
  };
}
