import { type AccessScope, type Action, allows, EVERYTHING, RIGHTS } from '../access.ts';
import { type Actor, accessScopeOf, isSignedIn, requireAuthor, requireSignedIn } from '../actor.ts';
import { blobGroup, blobKey } from '../blobs/keys.ts';
import { atMost } from '../blobs/limited.ts';
import type { PoliciesReader } from '../collections/policies.ts';
import { type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import { storedSortValues, storedSource } from '../criteria/stored-names.ts';
import type { Condition } from '../criteria/syntax.ts';
import { documentsForFiles } from '../documents/scopes.ts';
import { AppError, isAppError, readInput } from '../errors.ts';
import { accessList, type Grantee, parseAction, requireGrantee, revokeFrom } from '../grants.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import type { ResizedImage, ResizeRequest, Resizing } from '../images/resizing.ts';
import { parseJson } from '../json-text.ts';
import type { BlobContent, BlobKey, Blobs, ByteRange } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { NamedGrant, Refusal } from '../ports/storage/documents.ts';
import type { FileRecord, FoundFile, NewFile } from '../ports/storage/files.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { isUuid } from '../wire.ts';
import { parseAttachedData } from './attached-data.ts';
import { parseDocumentPath, requireFileDocument } from './file-documents.ts';
import { fileNames } from './file-names.ts';
import type { OwnedFiles } from './owned-files.ts';

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
  /** Document that the file will belong to, as `<collection>/<id>`; null for none. */
  readonly document: string | null;
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
  readonly hooks: Hooks;
  readonly settings: SettingsReader;
  readonly policies: PoliciesReader;
  readonly ownedFiles: OwnedFiles;
}

export type Files = ReturnType<typeof createFiles>;

/** Returns the key of the original bytes of a file. Variants are in the same group. */
const fileBlob = (id: string): BlobKey => blobKey('files', id);

const NO_DOCUMENT = { document: null, collection: null } as const;

/** Returns the scope of an actor for files, apart from documents. Follow relations give access to documents only. */
const ownScope = (actor: Actor): AccessScope => accessScopeOf(actor, false);

export function createFiles(deps: FilesDeps) {
  const { storage, blobs, secrets, clock, logger, resizing, hooks, ownedFiles } = deps;

  /** No transaction is needed for a single statement. */
  const apart: Transact = (work) => work(storage);
  const together: Transact = (work) => storage.transaction(work);

  /** Returns the scope of an actor for files, with what they inherit from documents. */
  async function fileScope(actor: Actor): Promise<AccessScope> {
    const scope = ownScope(actor);
    return (await ownedFiles.exist()) ? { ...scope, documents: await documentsForFiles(actor, deps) } : scope;
  }

  function idOf(id: string): string {
    if (!isUuid(id)) throw new AppError('file.not_found');
    return id.toLowerCase();
  }

  /** Refuses a change. For callers who may not read the file, it does not exist. */
  async function refuse(actor: Actor, id: string): Promise<never> {
    const found = await storage.files.find(id, await fileScope(actor));
    throw new AppError(found !== null && allows(found.rights, 'read') ? 'access.denied' : 'file.not_found');
  }

  async function read(actor: Actor, id: string): Promise<FoundFile> {
    const found = isUuid(id) ? await storage.files.find(id.toLowerCase(), await fileScope(actor)) : null;
    if (found !== null && allows(found.rights, 'read')) return found;
    requireSignedIn(actor);
    throw new AppError('file.not_found');
  }

  /**
   * Changes a file under the caller's rights on it. If they are insufficient, those on its document count, which is
   * locked so that they last until the change.
   */
  async function changing<Result extends string>(
    actor: Actor,
    id: string,
    action: Action,
    work: (stores: Stores, scope: AccessScope) => Promise<Result | Refusal>,
  ): Promise<Result | Refusal> {
    const result = await work(storage, ownScope(actor));
    if (result !== 'denied') return result;
    const scope = await fileScope(actor);
    const document = (await storage.files.find(id, scope))?.document ?? null;
    if (document === null) return result;
    return storage.transaction(async (stores) => {
      await stores.documents.lock([document]);
      const found = await stores.files.find(id, scope);
      if (found === null) return 'missing';
      return allows(found.rights, action) ? work(stores, EVERYTHING) : 'denied';
    });
  }

  /** Returns the document of a new file. @throws as `requireFileDocument` */
  async function placeOf(actor: Actor, document: string | null): Promise<Pick<NewFile, 'document' | 'collection'>> {
    if (document === null) return NO_DOCUMENT;
    const path = parseDocumentPath(document);
    const { id, collection } = await requireFileDocument(storage, path, await documentsForFiles(actor, deps), 'update');
    return { document: id, collection };
  }

  /**
   * Returns the step of a transaction that stores the row of a file. It locks the document of the file, so that it is not
   * removed meanwhile, and throws as `requireFileDocument`.
   */
  async function adding(actor: Actor, file: NewFile): Promise<(stores: Stores) => Promise<FileRecord>> {
    const { document: id, collection } = file;
    if (id === null || collection === null) return (stores) => stores.files.add(file);
    const held = await documentsForFiles(actor, deps);
    const isFirst = !(await ownedFiles.exist());
    return async (stores) => {
      await stores.documents.lock([id]);
      await requireFileDocument(stores, { collection, id }, held, 'update');
      if (isFirst) await stores.announcer.announce({ topic: 'files', key: id });
      return stores.files.add(file);
    };
  }

  /** Returns the files to search. Readers of a document can read all its files. */
  async function selected(actor: Actor, document: string | null) {
    if (document === null) {
      requireSignedIn(actor);
      return { scope: await fileScope(actor) };
    }
    const path = parseDocumentPath(document);
    const { id } = await requireFileDocument(storage, path, await documentsForFiles(actor, deps), 'read');
    return { scope: EVERYTHING, document: id };
  }

  async function checked(actor: Actor, { attachedData, acl }: FileFields) {
    const data = parseAttachedData(attachedData);
    if (acl === null) return { attachedData: data, grants: [] };
    const list = readInput('/acl', () => parseJson(acl, '/acl'));
    return { attachedData: data, grants: await accessList({ stores: storage, actor }, list, '/acl') };
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
     * A file of a document needs the right to update it, before the bytes are read and when the row is stored.
     *
     * @param maxBytes maximum size; a larger upload is aborted
     * @throws `auth.required`, `file.too_large`, `input.*`, `grant.*`, `blobs.unavailable`, the errors of `upload`;
     *   `collection.not_found`, `document.not_found`, `access.denied`
     */
    async store(
      actor: Actor,
      upload: FileUpload,
      maxBytes: number,
      transact: Transact = upload.document === null ? apart : together,
    ): Promise<FileRecord> {
      const author = requireAuthor(actor);
      const place = await placeOf(actor, upload.document);
      await checked(actor, upload.early);
      const created = clock.now();
      const id = secrets.uuid(created);
      let isRowTried = false;
      try {
        const { size, sha256 } = await blobs.put(fileBlob(id), atMost(upload.bytes, maxBytes));
        const { fileName, contentType, ...fields } = await upload.describe();
        const { attachedData, grants } = await checked(actor, fields);
        await hooks.run('file.create', { fileName, contentType, size }, actor);
        isRowTried = true;
        const described = { fileName, contentType, sha256 };
        const file = { ...described, ...place, id, authorId: author.id, size, attachedData, created, grants };
        const request = JSON.stringify({ ...described, ...place, ...fields });
        const kept = await transact(await adding(actor, file), request);
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
      const mayGrant = isSignedIn(actor) && allows(file.rights, 'all');
      return { file, grants: mayGrant ? await storage.files.grantsOn(file.id) : null };
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
      const result = await changing(actor, id, 'delete', (stores, scope) => stores.files.remove(id, scope));
      if (result !== 'removed') await refuse(actor, id);
      await removeBlobs(id);
    },

    /**
     * Runs a query on the files that the caller may read.
     *
     * @param document the document whose files are searched; null for all files
     * @throws `auth.required`, `criteria.invalid`, with a document as `requireFileDocument`
     */
    async search(actor: Actor, page: SearchPage, document: string | null = null): Promise<SearchResult<FileRecord>> {
      const among = await selected(actor, document);
      return search(page, {
        list: (list) => storage.files.list({ ...list, ...among }),
        summarize: (summary) => storage.files.summarize({ ...summary, ...among }),
        source: (file) => storedSource(fileNames(file)),
        keys: (order, file) => storedSortValues(order, fileNames(file)),
        texts: ({ attachedData }) => [attachedData],
      });
    },

    /** Returns the number of files that `search` finds. @throws as `search` */
    async count(actor: Actor, where: Condition | null, document: string | null = null): Promise<number> {
      return storage.files.count({ ...(await selected(actor, document)), where });
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
      const result = await changing(actor, id, 'all', (stores, scope) => stores.files.grant(id, scope, grant));
      if (result !== 'granted') await refuse(actor, id);
    },

    /** Revokes a right; no error if it was never granted. @throws as `grant` */
    async revoke(actor: Actor, { id: given, action, grantee }: FileGrantChange): Promise<void> {
      requireSignedIn(actor);
      const [id, parsed] = [idOf(given), parseAction(action)];
      const result = await revokeFrom({ stores: storage, actor, grantee }, (principal) =>
        changing(actor, id, 'all', (stores, scope) => stores.files.revoke(id, scope, { principal, action: parsed })),
      );
      if (result === 'missing' || result === 'denied') await refuse(actor, id);
    },
  };
}
