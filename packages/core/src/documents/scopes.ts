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

/** The address of a document, or a collection with all its documents by its key. */
type Place = DocumentAddress | { readonly collection: string; readonly id?: undefined };

export type DocumentScopes = ReturnType<typeof createDocumentScopes>;

/** What actors may do with documents. */
export function createDocumentScopes({ storage, settings, policies, schemaValidators }: DocumentScopesDeps) {
  /** The policy of a collection; null where there is none. A document without its collection costs a read. */
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

  /** The check of contents by the schema of a collection; null without one. */
  async function checkFor(collection: string, { schema }: CollectionPolicy): Promise<ContentCheck | null> {
    return schema === null ? null : schemaValidators.find(storage, collection, schema);
  }

  /** As `checkFor`, for an address with a collection: documents are not changed by their id alone. */
  async function checkAt(where: DocumentAddress): Promise<ContentCheck | null> {
    if (where.collection === null) return null;
    const policy = await policyAt(where);
    return policy === null ? null : checkFor(where.collection, policy);
  }

  /** Keys of the collections whose rules let the actor read every document. */
  async function openCollections(actor: Actor): Promise<readonly string[]> {
    if (actor.isPrivileged) return [];
    return openTo(actor, await policies.current());
  }

  /** What the actor may do with documents of any collection, whatever the rules. */
  const scopeBesideRules = (actor: Actor) => scopeBy(actor, null);

  return {
    /** What an expansion may read. */
    expansion: { scope: scopeBesideRules, openCollections },
    checkFor,
    checkAt,
    /** What the actor may do at a place. */
    scope,
    policyAt,
  };
}
