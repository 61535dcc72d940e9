import type { AccessScope } from '../access.ts';
import { type Actor, accessScopeOf } from '../actor.ts';
import { type CollectionPolicy, openTo, type PoliciesReader, ruledRights } from '../collections/policies.ts';
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
type Place = DocumentAddress | { readonly collection: string; readonly id?: undefined };

export type DocumentScopes = ReturnType<typeof createDocumentScopes>;

/** Permissions of actors on documents. */
export function createDocumentScopes({ storage, settings, policies, schemaValidators }: DocumentScopesDeps) {
  /** Returns the policy of a collection; null if there is none. A document without its collection costs a read. */
  async function policyAt({ collection, id }: Place): Promise<CollectionPolicy | null> {
    const all = await policies.current();
    if (all.size === 0) return null;
    const key = collection ?? (id === undefined ? null : await storage.documents.locate(id));
    return key === null ? null : (all.get(key) ?? null);
  }

  async function scopeBy(actor: Actor, policy: CollectionPolicy | null): Promise<AccessScope> {
    const values = await settings.current();
    return accessScopeOf(actor, values[FOLLOWERS_READ], policy === null ? 0 : ruledRights(actor, policy));
  }

  const scope = async (actor: Actor, where: Place) => scopeBy(actor, actor.isPrivileged ? null : await policyAt(where));

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

  /** Returns the actor's permissions on documents of any collection, apart from the rules. */
  const scopeBesideRules = (actor: Actor) => scopeBy(actor, null);

  return {
    /** Read permissions of an expansion. */
    expansion: { scope: scopeBesideRules, openCollections },
    checkFor,
    checkAt,
    /** Returns the actor's permissions at a place. */
    scope,
    policyAt,
  };
}
