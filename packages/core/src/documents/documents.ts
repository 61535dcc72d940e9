import { type AccessScope, allows, EVERY_RIGHT } from '../access.ts';
import { type Actor, isSignedIn, requireAuthor, requireSignedIn } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { mayCreate, type PoliciesReader } from '../collections/policies.ts';
import { matches } from '../criteria/evaluate.ts';
import { documentResolver, documentSource } from '../criteria/names.ts';
import { sortValues } from '../criteria/order.ts';
import { EVERY_OBJECT, type SearchPage, type SearchResult, search } from '../criteria/search.ts';
import type { Condition, Query } from '../criteria/syntax.ts';
import { resolverOf } from '../criteria/values.ts';
import { AppError } from '../errors.ts';
import type { GrantAllowance } from '../grants.ts';
import type { SearchCosts } from '../indexes/search-costs.ts';
import type { ParsedJson } from '../json-text.ts';
import { readJsonAt } from '../json-tree.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type {
  DocumentAddress,
  DocumentRecord,
  FoundDocument,
  NamedGrant,
  NewDocument,
} from '../ports/storage/documents.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { isGeneratedUuid } from '../wire.ts';
import type { WorkAllowance } from '../work.ts';
import { addressOf, type DocumentPath } from './address.ts';
import { documentContent, expectedVersion, initialGrants } from './body.ts';
import type { Cascades } from './cascades.ts';
import { createDocumentEdits, type DocumentFieldPath } from './edits.ts';
import { createExpandedReads } from './expanded-reads.ts';
import { parseFieldPath } from './field-path.ts';
import { bound, createFoundSource, createSearchLookUp, type FoundBySearch, withScores, withSearch } from './found.ts';
import { createGrantChanges } from './grant-changes.ts';
import { createDocumentScopes } from './scopes.ts';
import { createUniqueCheck, type VerifyUnique } from './unique.ts';
import type { SchemaValidators } from './validators.ts';
import { createDocumentWrites, refusalOf } from './writes.ts';
import { type WrittenDocument, written } from './written.ts';

export interface DocumentSearch extends SearchPage {
  readonly collection: string;
}

export interface DocumentsDeps {
  /** The storage, or the stores of a transaction. */
  readonly storage: Stores | Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly policies: PoliciesReader;
  readonly schemaValidators: SchemaValidators;
  readonly searchCosts: SearchCosts;
  /** Called after a removal that left something to be removed. */
  readonly cascades: Cascades;
  /** Shared by the calls of a transaction; if absent, each call has a separate one. */
  readonly grantAllowance?: GrantAllowance;
  /** Shared by the calls of a transaction; if absent, there is no limit. */
  readonly workAllowance?: WorkAllowance;
}

/** @throws `input.invalid` */
function parseOwnId(id: string): string {
  if (isGeneratedUuid(id)) return id.toLowerCase();
  throw new AppError('input.invalid', { detail: 'id must be a UUID of version 1 to 8', input: 'id' });
}

/** Unwraps the result of a store, which is null if there is no such collection. */
function inCollection<T>(found: T | null): T {
  if (found === null) throw new AppError('collection.not_found');
  return found;
}

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(deps: DocumentsDeps) {
  const { storage, secrets, clock, settings, policies, searchCosts, cascades, grantAllowance } = deps;
  const work = deps.workAllowance ?? null;
  const { scope, policyAt, checkFor, checkAt, anywhere, expansion } = createDocumentScopes(deps);
  const writes = createDocumentWrites({ storage, clock, policies, settings, scope, anywhere, cascades, work });
  const unique = createUniqueCheck({ storage, scope });
  const searches = createSearchLookUp({ storage, policyAt });

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

  /** Returns the document with the id of a new one, if author and content are the same. @throws `document.exists` */
  async function existing({ authorId, content, ...address }: NewDocument): Promise<DocumentRecord> {
    const asAuthor = { everything: false, owner: authorId, principals: [], followed: false, ruled: 0 };
    const found = await storage.documents.find(address, asAuthor);
    if (found?.rights !== EVERY_RIGHT || found.content !== content) throw new AppError('document.exists');
    return found;
  }

  /** Returns the document if it may be updated and has the version; null otherwise. */
  async function current(here: DocumentAddress, held: AccessScope, version: number | null): Promise<string | null> {
    const found = await storage.documents.find(here, held);
    return refusalOf(found, 'update', version) === null && found !== null ? found.content : null;
  }

  /** @throws `collection.not_found`, `document.not_found`, `access.denied` */
  async function assertMayUpdate(path: DocumentPath, held: AccessScope): Promise<void> {
    const found = await storage.documents.find(addressOf(path), held);
    const refusal = refusalOf(found, 'update', null);
    if (refusal !== null) await refuse(path, refusal);
  }

  /**
   * Stores a new document.
   *
   * @param allowed condition under which the actor may create it; true for any
   */
  async function store(
    actor: Actor,
    added: NewDocument,
    allowed: true | Condition,
    verify: VerifyUnique,
  ): Promise<DocumentRecord> {
    if (allowed !== true && !matches(allowed, resolverOf(JSON.parse(added.content)))) {
      throw new AppError('access.denied');
    }
    const document = inCollection(await writes.add(actor, added, verify));
    return document === 'taken' ? existing(added) : document;
  }

  const documents = {
    /**
     * Stores a document of the caller. A version in the body, as in a document read before, is validated but not used.
     * Called again with the same id and content, returns the existing document.
     *
     * @param creation `id`: an id chosen by the client; absent for a new one
     * @throws `auth.required`, `access.denied`, `collection.not_found`, `document.duplicate`, `document.exists`, `document.version_invalid`,
     * `document.invalid`, `input.invalid`, `input.array_expected`, `grant.*`
     */
    async create(
      actor: Actor,
      { collection, id, body }: { collection: string; id?: string | undefined; body: ParsedJson },
    ): Promise<DocumentRecord> {
      const author = requireAuthor(actor);
      const key = collectionKey(collection);
      const policy = await policyAt({ collection: key });
      const allowed = policy === null || mayCreate(actor, policy);
      if (allowed === false) throw new AppError('access.denied');
      const content = documentContent(body);
      const check = policy === null ? null : await checkFor(key, policy);
      check?.(content);
      expectedVersion(body);
      const grants = await initialGrants({ stores: storage, actor, allowance: grantAllowance }, body);
      const created = clock.now();
      const ownId = id === undefined ? null : parseOwnId(id);
      const added = {
        id: ownId ?? secrets.uuid(created),
        isOwnId: ownId !== null,
        collection: key,
        authorId: author.id,
        created,
        content,
        grants,
        search: policy?.search ?? undefined,
      };
      const write = { actor, collection: key, id: ownId, content: async () => content };
      return unique(policy, write, (verify) => store(actor, added, allowed, verify));
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
        (await checkAt(here))?.(change.content);
      } catch (error) {
        // Schema errors are hidden from callers who may not update.
        await assertMayUpdate(path, held);
        throw error;
      }
      const { content, version } = change;
      const write = { actor, ...here, content: async () => (await current(here, held, version)) && content };
      const policy = await policyAt(here);
      const result = await unique(policy, write, (verify) =>
        writes.update(actor, here, held, { ...change, verify, search: policy?.search ?? undefined }),
      );
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
      const result = await writes.remove(actor, here, await scope(actor, here), version);
      if (result !== 'removed') await refuse(path, result);
    },

    /**
     * Runs a query on the documents that the caller may read.
     *
     * @throws `collection.not_found`, `criteria.invalid`, `page.too_large`, `search.not_enabled`
     */
    async search(actor: Actor, { collection, ...page }: DocumentSearch): Promise<SearchResult<FoundBySearch>> {
      const key = collectionKey(collection);
      const among = { collection: key, scope: await scope(actor, { collection: key }) };
      const { query, ...bounds } = page;
      const fullText = query.search === undefined ? null : await searches(key, query.search);
      const asked = { ...bounds, query: fullText === null ? query : bound(query, fullText) };
      const work = () =>
        search(asked, {
          list: async (list) => inCollection(await storage.documents.list({ ...list, ...among })),
          summarize: async (summary) => inCollection(await storage.documents.summarize({ ...summary, ...among })),
          source: fullText === null ? documentSource : createFoundSource(fullText),
          keys: (order, document) => sortValues(order, documentResolver(document)),
          texts: ({ content }) => [content],
        });
      const found = await searchCosts.measured(
        key,
        asked.query,
        work,
        ({ objects, rows }) => objects?.length ?? rows.length,
      );
      return fullText === null ? found : withScores(found, fullText);
    },

    /**
     * Returns the number of documents that the caller may read and that match the filter and the search. @throws
     * `collection.not_found`, `search.not_enabled`
     */
    async count(
      actor: Actor,
      collection: string,
      { where: filter, search: text }: Pick<Query, 'where' | 'search'> = EVERY_OBJECT,
    ): Promise<number> {
      const key = collectionKey(collection);
      const scopeHere = await scope(actor, { collection: key });
      const fullText = text === undefined ? null : await searches(key, text);
      const where = fullText === null ? filter : withSearch(filter, fullText);
      const work = () => storage.documents.count(key, scopeHere, where);
      return inCollection(await searchCosts.measured(key, { where, order: [] }, work, () => 1));
    },
  };

  return {
    ...documents,
    ...createDocumentEdits({ clock, secrets, scope, checkAt, policyAt, writes, unique, current, refuse }),
    ...createGrantChanges({ storage, grantAllowance, writes, scope, refuse }),
    ...createExpandedReads({ storage, ...expansion, search: documents.search }),
  };
}
