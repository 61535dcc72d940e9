import { allows, type Reach, RIGHTS } from '../access.ts';
import { type Actor, reachOf, requireUser } from '../actor.ts';
import { collectionKey, isUuid } from '../collections/collections.ts';
import { documentResolver, documentSource } from '../criteria/names.ts';
import { sortValues } from '../criteria/order.ts';
import { type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import type { Condition } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import { accessList, type GrantAllowance, type Grantee, parseAction, requireGrantee } from '../grants.ts';
import { readJsonAt } from '../json-edit.ts';
import type { ParsedJson } from '../json-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { DocumentAddress, DocumentRecord, FoundDocument, NamedGrant } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { AppendWatches } from './appends.ts';
import { documentContent, expectedVersion } from './content.ts';
import { listPlace, parseFieldPath, parseTargetPath } from './field-path.ts';
import { changeField, fieldValue } from './fields.ts';
import { initialGrants } from './grants.ts';

/** Where a client looks for a document; `collection: null` for everywhere. */
export interface DocumentPath {
  readonly collection: string | null;
  readonly id: string;
}

export interface DocumentPage {
  readonly collection: string;
  /** Only documents after this one; null from the beginning. */
  readonly after: string | null;
  readonly skip: number;
  readonly limit: number;
}

export interface DocumentSearch extends SearchPage {
  readonly collection: string;
}

export interface DocumentPageResult {
  readonly documents: readonly DocumentRecord[];
  /** Whether there are more behind these. */
  readonly more: boolean;
}

export interface GrantChange extends DocumentPath {
  readonly action: string;
  readonly grantee: Grantee;
}

/** Where a client looks for a field of a document. */
export interface DocumentFieldPath extends DocumentPath {
  /** The parts of the path behind the document, decoded. */
  readonly parts: readonly string[];
}

export interface DocumentFieldChange extends DocumentFieldPath {
  /** `{"data": …}` */
  readonly body: ParsedJson;
  /** Bytes that the content may grow to. */
  readonly maxBytes: number;
  /** See `Caller`. */
  readonly sentAfter: number | null;
}

export interface DocumentsDeps {
  /** The storage, or what a transaction has of it. */
  readonly storage: Stores;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  /** One for all use cases on one storage: calls are compared with each other. */
  readonly watchAppends: AppendWatches;
  /** Of a transaction of several calls; absent: each call has its own. */
  readonly grantAllowance?: GrantAllowance;
}

/** What a store found; it finds null where there is no such collection. */
function inCollection<T>(found: T | null): T {
  if (found === null) throw new AppError('collection.not_found');
  return found;
}

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(deps: DocumentsDeps) {
  const { storage, secrets, clock, settings, watchAppends, grantAllowance } = deps;

  /** At once while the settings are known: it is on the path of every read. */
  function reach(actor: Actor): Reach | Promise<Reach> {
    const key = 'followers.read.documents';
    const known = settings.known();
    if (known !== null) return reachOf(actor, known[key]);
    return Promise.resolve(settings.current()).then((values) => reachOf(actor, values[key]));
  }

  function address({ collection, id }: DocumentPath): DocumentAddress {
    if (!isUuid(id)) throw new AppError('document.not_found');
    return { collection: collection === null ? null : collectionKey(collection), id: id.toLowerCase() };
  }

  /** Why nothing was there: only worth a second look once it is known to be an error. */
  async function notFound({ collection }: DocumentPath): Promise<AppError> {
    const exists = collection === null || (await storage.collections.findName(collectionKey(collection))) !== null;
    return new AppError(exists ? 'document.not_found' : 'collection.not_found');
  }

  async function refuse(path: DocumentPath, refusal: 'missing' | 'denied' | 'stale'): Promise<never> {
    if (refusal === 'missing') throw await notFound(path);
    throw new AppError(refusal === 'denied' ? 'access.denied' : 'document.stale');
  }

  async function read(actor: Actor, path: DocumentPath): Promise<FoundDocument> {
    const seen = reach(actor);
    const found = await storage.documents.find(address(path), seen instanceof Promise ? await seen : seen);
    if (found === null) throw await notFound(path);
    if (!allows(found.rights, 'read')) throw new AppError('access.denied');
    return found;
  }

  return {
    /**
     * Stores a document of the caller's. A version in the body is checked but not kept: clients send documents back.
     *
     * @throws `auth.required`, `collection.not_found`, `document.version_invalid`, `input.invalid`,
     *   `input.array_expected`, `grant.*`
     */
    async create(
      actor: Actor,
      { collection, body }: { collection: string; body: ParsedJson },
    ): Promise<DocumentRecord> {
      const author = requireUser(actor);
      const content = documentContent(body);
      expectedVersion(body);
      const grants = await initialGrants(storage, body, grantAllowance);
      const created = clock.now();
      const document = await storage.documents.add({
        id: secrets.uuid(created),
        collection: collectionKey(collection),
        authorId: author.id,
        created,
        content,
        grants,
      });
      if (document === null) throw new AppError('collection.not_found');
      return document;
    },

    /** @throws `collection.not_found`, `document.not_found`, `access.denied` */
    read,

    /** The document with what was granted on it: null for those who may not grant. @throws as `read` */
    async readWithGrants(
      actor: Actor,
      path: DocumentPath,
    ): Promise<{ document: DocumentRecord; grants: readonly NamedGrant[] | null }> {
      const document = await read(actor, path);
      const mayGrant = actor.user !== null && allows(document.rights, 'all');
      return { document, grants: mayGrant ? await storage.documents.grantsOn(document.id) : null };
    },

    /**
     * Replaces the whole content, if the version is still the one that the body names (when it names one).
     *
     * @throws `auth.required`, `collection.not_found`, `document.not_found`, `access.denied`, `document.stale`,
     *   `document.version_invalid`, `input.invalid`
     */
    async replace(actor: Actor, { body, ...path }: DocumentPath & { body: ParsedJson }): Promise<DocumentRecord> {
      requireUser(actor);
      const change = { content: documentContent(body), updated: clock.now(), version: expectedVersion(body) };
      const result = await storage.documents.replace(address(path), await reach(actor), change);
      return typeof result === 'string' ? refuse(path, result) : result;
    },

    /** The JSON text of one field. @throws as `read`, `field.path_invalid`, `field.owned`, `field.not_found` */
    async readField(actor: Actor, { parts, ...path }: DocumentFieldPath): Promise<string> {
      const steps = parseFieldPath(parts);
      const { content } = await read(actor, path);
      const value = readJsonAt(content, steps);
      if (value === null) throw new AppError('field.not_found');
      return value;
    },

    /**
     * Changes one field and leaves all else as it is, also what others change at the same time. Of concurrent calls
     * that append at one index one does; behind the last element all do.
     *
     * @throws as `replace`, `field.*` (but `not_found`), `document.busy`, `document.too_large`
     */
    async setField(actor: Actor, change: DocumentFieldChange): Promise<DocumentRecord> {
      requireUser(actor);
      const { parts, body, maxBytes, sentAfter, ...path } = change;
      const steps = parseTargetPath(parts);
      const value = fieldValue(body);
      const version = expectedVersion(body);
      const place = address(path);
      const watch = watchAppends(listPlace(place.id, steps), { sentAfter });
      try {
        const result = await storage.documents.edit(place, await reach(actor), {
          change: (state) => changeField(state, { steps, value, maxBytes, watch, isInformed: version !== null }),
          updated: clock.now(),
          version,
        });
        if (typeof result === 'string') return await refuse(path, result);
        watch.wrote();
        return result;
      } finally {
        watch.end();
      }
    },

    /** @throws `auth.required`, `collection.not_found`, `document.not_found`, `access.denied` */
    async remove(actor: Actor, path: DocumentPath): Promise<void> {
      requireUser(actor);
      const result = await storage.documents.remove(address(path), await reach(actor));
      if (result !== 'removed') await refuse(path, result);
    },

    /** What the caller may read, in the order of creation. @throws `collection.not_found` */
    async list(actor: Actor, { collection, after, skip, limit }: DocumentPage): Promise<DocumentPageResult> {
      const list = {
        collection: collectionKey(collection),
        reach: await reach(actor),
        where: null,
        order: [],
        after: after === null ? null : { keys: [], id: after },
        skip,
        limit: limit + 1,
      };
      const documents = inCollection(await storage.documents.list(list));
      const more = documents.length > limit;
      return { documents: more ? documents.slice(0, limit) : documents, more };
    },

    /** What the caller may read of what a query asks for. @throws `collection.not_found`, `criteria.invalid` */
    async search(actor: Actor, { collection, ...page }: DocumentSearch): Promise<SearchResult<DocumentRecord>> {
      const among = { collection: collectionKey(collection), reach: await reach(actor) };
      return search(page, {
        list: async (list) => inCollection(await storage.documents.list({ ...list, ...among })),
        summarize: async (summary) => inCollection(await storage.documents.summarize({ ...summary, ...among })),
        source: documentSource,
        keys: (order, document) => sortValues(order, documentResolver(document)),
      });
    },

    /** How many documents the caller may read for which a condition holds. @throws `collection.not_found` */
    async count(actor: Actor, collection: string, where: Condition | null = null): Promise<number> {
      return inCollection(await storage.documents.count(collectionKey(collection), await reach(actor), where));
    },

    /**
     * Gives a right to a user or to everybody in a role.
     *
     * @throws `auth.required`, `grant.action_unknown`, `user.not_found`, `role.not_found`, `collection.not_found`,
     *   `document.not_found`, `access.denied`
     */
    async grant(actor: Actor, { action, grantee, ...path }: GrantChange): Promise<void> {
      requireUser(actor);
      const rights = RIGHTS[parseAction(action)];
      const grant = { principal: await requireGrantee(storage, grantee), rights };
      const result = await storage.documents.grant(address(path), await reach(actor), grant);
      if (result !== 'granted') await refuse(path, result);
    },

    /**
     * Replaces all grants by those of the list.
     *
     * @throws `auth.required`, `grant.*`, `input.*`, `collection.not_found`, `document.not_found`, `access.denied`
     */
    async setGrants(actor: Actor, { body, ...path }: DocumentPath & { body: ParsedJson }): Promise<void> {
      requireUser(actor);
      const grants = await accessList(storage, body, grantAllowance);
      const result = await storage.documents.setGrants(address(path), await reach(actor), grants);
      if (result !== 'granted') await refuse(path, result);
    },

    /** Takes a right back; that it was never given is no error. @throws as `grant` */
    async revoke(actor: Actor, { action, grantee, ...path }: GrantChange): Promise<void> {
      requireUser(actor);
      const parsed = parseAction(action);
      const revoked = { principal: await requireGrantee(storage, grantee), action: parsed };
      const result = await storage.documents.revoke(address(path), await reach(actor), revoked);
      if (result !== 'revoked') await refuse(path, result);
    },
  };
}
