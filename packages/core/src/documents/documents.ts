import { type AccessScope, allows } from '../access.ts';
import { type Actor, isSignedIn, requireAuthor, requireSignedIn } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { mayCreate, type PoliciesReader } from '../collections/policies.ts';
import { documentResolver, documentSource } from '../criteria/names.ts';
import { sortValues } from '../criteria/order.ts';
import { endPage, type PageBounds } from '../criteria/page.ts';
import { type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import type { Condition } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import type { GrantAllowance } from '../grants.ts';
import type { SearchCosts } from '../indexes/search-costs.ts';
import { readJsonAt } from '../json-edit.ts';
import type { ParsedJson } from '../json-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { DocumentRecord, FoundDocument, NamedGrant } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { addressOf, type DocumentPath } from './address.ts';
import { documentContent, expectedVersion } from './content.ts';
import { createDocumentEdits, type DocumentFieldPath } from './edits.ts';
import { createExpandedReads } from './expanded-reads.ts';
import { parseFieldPath } from './field-path.ts';
import { createGrantChanges } from './grant-changes.ts';
import { initialGrants } from './grants.ts';
import { createDocumentScopes } from './scopes.ts';
import type { SchemaValidators } from './validators.ts';
import { type WrittenDocument, written } from './written.ts';

export interface DocumentPage extends PageBounds {
  readonly collection: string;
  /** Returns only documents after this id; null from the beginning. */
  readonly after: string | null;
  readonly skip: number;
}

export interface DocumentSearch extends SearchPage {
  readonly collection: string;
}

export interface DocumentPageResult {
  readonly documents: readonly DocumentRecord[];
  /** True if more follow. */
  readonly more: boolean;
}

export interface DocumentsDeps {
  /** The storage, or the stores of a transaction. */
  readonly storage: Stores;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly policies: PoliciesReader;
  readonly schemaValidators: SchemaValidators;
  readonly searchCosts: SearchCosts;
  /** Shared by the calls of a transaction; if absent, each call has a separate one. */
  readonly grantAllowance?: GrantAllowance;
}

/** Returns the texts of unlimited length in a document. */
const textsOf = ({ content }: DocumentRecord) => [content];

/** Unwraps the result of a store, which is null if there is no such collection. */
function inCollection<T>(found: T | null): T {
  if (found === null) throw new AppError('collection.not_found');
  return found;
}

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(deps: DocumentsDeps) {
  const { storage, secrets, clock, searchCosts, grantAllowance } = deps;
  const { scope, policyAt, checkFor, checkAt, expansion } = createDocumentScopes(deps);

  /** Returns the reason for a missing document. Determined afterwards, because it costs another read. */
  async function notFound({ collection }: DocumentPath): Promise<AppError> {
    const exists = collection === null || (await storage.collections.findName(collectionKey(collection))) !== null;
    return new AppError(exists ? 'document.not_found' : 'collection.not_found');
  }

  async function refuse(path: DocumentPath, refusal: 'missing' | 'denied' | 'stale'): Promise<never> {
    if (refusal === 'missing') throw await notFound(path);
    throw new AppError(refusal === 'denied' ? 'access.denied' : 'document.stale');
  }

  async function read(actor: Actor, path: DocumentPath): Promise<FoundDocument> {
    const here = addressOf(path);
    const found = await storage.documents.find(here, await scope(actor, here));
    if (found === null) throw await notFound(path);
    if (!allows(found.rights, 'read')) throw new AppError('access.denied');
    return found;
  }

  /** @throws `collection.not_found`, `document.not_found`, `access.denied` */
  async function assertMayUpdate(path: DocumentPath, held: AccessScope): Promise<void> {
    const found = await storage.documents.find(addressOf(path), held);
    if (found === null || !allows(found.rights, 'update')) await refuse(path, found === null ? 'missing' : 'denied');
  }

  /** @throws `collection.not_found`, `document.not_found`, `access.denied`, `document.stale` */
  async function assertVersion(path: DocumentPath, held: AccessScope, version: number): Promise<void> {
    const found = await storage.documents.find(addressOf(path), held);
    if (found === null || !allows(found.rights, 'delete')) await refuse(path, found === null ? 'missing' : 'denied');
    else if (found.version !== version) await refuse(path, 'stale');
  }

  const documents = {
    /**
     * Stores a document of the caller. A version in the body, as in a document read before, is validated but not used.
     *
     * @throws `auth.required`, `access.denied`, `collection.not_found`, `document.version_invalid`, `document.invalid`,
     * `input.invalid`, `input.array_expected`, `grant.*`
     */
    async create(
      actor: Actor,
      { collection, body }: { collection: string; body: ParsedJson },
    ): Promise<DocumentRecord> {
      const author = requireAuthor(actor);
      const key = collectionKey(collection);
      const policy = await policyAt({ collection: key });
      if (policy !== null && !mayCreate(actor, policy)) throw new AppError('access.denied');
      const content = documentContent(body);
      const check = policy === null ? null : await checkFor(key, policy);
      check?.body(body, content);
      expectedVersion(body);
      const grants = await initialGrants({ stores: storage, actor, allowance: grantAllowance }, body);
      const created = clock.now();
      const document = await storage.documents.add({
        id: secrets.uuid(created),
        collection: key,
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

    /** Returns the document with its grants, which are null for callers who may not grant. @throws as `read` */
    async readWithGrants(
      actor: Actor,
      path: DocumentPath,
    ): Promise<{ document: DocumentRecord; grants: readonly NamedGrant[] | null }> {
      const document = await read(actor, path);
      const mayGrant = isSignedIn(actor) && allows(document.rights, 'all');
      return { document, grants: mayGrant ? await storage.documents.grantsOn(document.id) : null };
    },

    /**
     * Replaces the whole content. A version in the body must be the current one.
     *
     * @throws `auth.required`, `collection.not_found`, `document.not_found`, `access.denied`, `document.stale`,
     * `document.version_invalid`, `document.invalid`, `input.invalid`
     */
    async replace(actor: Actor, { body, ...path }: DocumentPath & { body: ParsedJson }): Promise<WrittenDocument> {
      requireSignedIn(actor);
      const change = { content: documentContent(body), updated: clock.now(), version: expectedVersion(body) };
      const here = addressOf(path);
      const held = await scope(actor, here);
      try {
        (await checkAt(here))?.body(body, change.content);
      } catch (error) {
        // Schema errors are hidden from callers who may not update.
        await assertMayUpdate(path, held);
        throw error;
      }
      const result = await storage.documents.replace(here, held, change);
      return typeof result === 'string' ? refuse(path, result) : written(result);
    },

    /** Returns the JSON text of one field. @throws as `read`, `field.path_invalid`, `field.owned`, `field.not_found` */
    async readField(actor: Actor, { parts, ...path }: DocumentFieldPath): Promise<string> {
      const steps = parseFieldPath(parts);
      const { content } = await read(actor, path);
      const value = readJsonAt(content, steps);
      if (value === null) throw new AppError('field.not_found');
      return value;
    },

    /**
     * @param version expected version of the document; null for any. With a version, call it in a transaction that has
     * locked the document.
     * @throws `auth.required`, `collection.not_found`, `document.not_found`, `access.denied`, `document.stale`
     */
    async remove(actor: Actor, path: DocumentPath, version: number | null = null): Promise<void> {
      requireSignedIn(actor);
      const here = addressOf(path);
      const held = await scope(actor, here);
      if (version !== null) await assertVersion(path, held, version);
      const result = await storage.documents.remove(here, held);
      if (result !== 'removed') await refuse(path, result);
    },

    /**
     * Returns the documents that the caller may read, in order of creation. @throws `collection.not_found`,
     * `page.too_large`
     */
    async list(actor: Actor, { collection, after, skip, ...bounds }: DocumentPage): Promise<DocumentPageResult> {
      const key = collectionKey(collection);
      const list = {
        collection: key,
        scope: await scope(actor, { collection: key }),
        where: null,
        order: [],
        after: after === null ? null : { keys: [], id: after },
        skip,
        limit: bounds.limit + 1,
        maxBytes: bounds.maxBytes,
      };
      const { rows, more } = endPage(inCollection(await storage.documents.list(list)), bounds, textsOf);
      return { documents: rows, more };
    },

    /**
     * Runs a query on the documents that the caller may read.
     *
     * @throws `collection.not_found`, `criteria.invalid`, `page.too_large`
     */
    async search(actor: Actor, { collection, ...page }: DocumentSearch): Promise<SearchResult<DocumentRecord>> {
      const key = collectionKey(collection);
      const among = { collection: key, scope: await scope(actor, { collection: key }) };
      const work = () =>
        search(page, {
          list: async (list) => inCollection(await storage.documents.list({ ...list, ...among })),
          summarize: async (summary) => inCollection(await storage.documents.summarize({ ...summary, ...among })),
          source: documentSource,
          keys: (order, document) => sortValues(order, documentResolver(document)),
          texts: textsOf,
        });
      return searchCosts.measured(key, page.query, work, ({ objects, rows }) => objects?.length ?? rows.length);
    },

    /**
     * Returns the number of documents that the caller may read and that match the filter. @throws
     * `collection.not_found`
     */
    async count(actor: Actor, collection: string, where: Condition | null = null): Promise<number> {
      const key = collectionKey(collection);
      const scopeHere = await scope(actor, { collection: key });
      const work = () => storage.documents.count(key, scopeHere, where);
      return inCollection(await searchCosts.measured(key, { where, order: [] }, work, () => 1));
    },
  };

  return {
    ...documents,
    ...createDocumentEdits({ storage, clock, scope, checkAt, refuse }),
    ...createGrantChanges({ storage, grantAllowance, scope, refuse }),
    ...createExpandedReads({ storage, ...expansion, plain: documents }),
  };
}
