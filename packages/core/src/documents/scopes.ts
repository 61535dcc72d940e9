import { type AccessScope, isByDocument } from '../access.ts';
import { type Actor, accessScopeOf } from '../actor.ts';
import {
  type CollectionPolicy,
  openTo,
  type PoliciesReader,
  ruledAccess,
  ruledRights,
  rulesFor,
} from '../collections/policies.ts';
import type { DocumentAddress } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { FOLLOWERS_READ } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { ContentCheck, SchemaValidators } from './validators.ts';

export interface DocumentScopesDeps {
  readonly storage: Stores;
  readonly settings: SettingsReader;
  readonly policies: PoliciesReader;
  readonly schemaValidators: SchemaValidators;
}

/** Address of a document, or the key of a collection for all its documents. */
type ScopedAddress = DocumentAddress | { readonly collection: string; readonly id?: undefined };

/** Returns the actor's permissions on documents of any collection, with all rules. Files inherit from them. */
export async function documentsForFiles(
  actor: Actor,
  { settings, policies }: Pick<DocumentScopesDeps, 'settings' | 'policies'>,
): Promise<AccessScope> {
  const followersRead = (await settings.current())[FOLLOWERS_READ];
  const given = Array.from(await policies.current(), ([key, policy]) => [key, ruledAccess(actor, policy)] as const);
  const rules = new Map(given.filter(([, access]) => access.rights !== 0 || isByDocument(access)));
  return withRules(accessScopeOf(actor, followersRead), rules.size === 0 ? undefined : rules);
}

export type DocumentScopes = ReturnType<typeof createDocumentScopes>;

/** Returns a scope with rules that depend on the document, if there are any. */
const withRules = (scope: AccessScope, rules: AccessScope['rules']): AccessScope =>
  rules === undefined ? scope : { ...scope, rules };

/** Permissions of actors on documents. */
export function createDocumentScopes({ storage, settings, policies, schemaValidators }: DocumentScopesDeps) {
  /** Returns the key of the addressed collection; null if there is none. Without its name this costs a read. */
  const keyOf = async ({ collection, id }: ScopedAddress) =>
    collection ?? (id === undefined ? null : await storage.documents.locate(id));

  /** Returns the policy of a collection; null if there is none. */
  async function policyAt(where: ScopedAddress): Promise<CollectionPolicy | null> {
    const all = await policies.current();
    const key = all.size === 0 ? null : await keyOf(where);
    return key === null ? null : (all.get(key) ?? null);
  }

  /** Returns the actor's permissions on documents, under the rules of one collection or (with null) apart from them. */
  async function scopeBy(actor: Actor, key: string | null): Promise<AccessScope> {
    const followersRead = (await settings.current())[FOLLOWERS_READ];
    const all = await policies.current();
    const policy = key === null ? undefined : all.get(key);
    if (policy === undefined) return accessScopeOf(actor, followersRead);
    return accessScopeOf(actor, followersRead, ruledRights(actor, policy), rulesFor(actor, all, [key ?? '']));
  }

  async function scope(actor: Actor, where: ScopedAddress): Promise<AccessScope> {
    const hasRules = !actor.isPrivileged && (await policies.current()).size > 0;
    return scopeBy(actor, hasRules ? await keyOf(where) : null);
  }

  /** Returns the check of contents by the schema of a collection; null without one. */
  async function checkFor(collection: string, { schema }: CollectionPolicy): Promise<ContentCheck | null> {
    return schema === null ? null : schemaValidators.find(storage, collection, schema);
  }

  /** Returns the check as `checkFor`, for an address with a collection: documents are not changed by their id alone. */
  async function checkAt(where: DocumentAddress): Promise<ContentCheck | null> {
    if (where.collection === null) return null;
    const policy = await policyAt(where);
    return policy === null ? null : checkFor(where.collection, policy);
  }

  /** Returns the keys of the collections whose rules allow the actor to read every document. */
  async function openCollections(actor: Actor): Promise<readonly string[]> {
    if (actor.isPrivileged) return [];
    return openTo(actor, await policies.current());
  }

  /** Returns the actor's permissions on documents of any collection, apart from `openCollections`. */
  const scopeAnywhere = async (actor: Actor): Promise<AccessScope> =>
    withRules(await scopeBy(actor, null), rulesFor(actor, await policies.current(), null));

  return {
    /** Read permissions of an expansion. */
    expansion: { scope: scopeAnywhere, openCollections },
    /** Returns the actor's permissions on documents of any collection. */
    anywhere: scopeAnywhere,
    checkFor,
    checkAt,
    /** Returns the actor's permissions at a place. */
    scope,
    policyAt,
  };
}
