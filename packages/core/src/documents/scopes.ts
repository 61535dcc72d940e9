import type { AccessScope } from '../access.ts';
import { type Actor, accessScopeOf } from '../actor.ts';
import { type CollectionPolicy, openTo, type PoliciesReader, ruledRights } from '../collections/policies.ts';
import type { DocumentAddress } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { FOLLOWERS_READ, type SettingValues } from '../settings/catalogue.ts';
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

/**
 * What actors may do with documents. Everything is synchronous while settings and policies are cached, because it is on
 * the path of every request; only the address of a document without its collection costs a read, if there are policies.
 */
export function createDocumentScopes({ storage, settings, policies, schemaValidators }: DocumentScopesDeps) {
  async function readPolicy({ collection, id }: Place): Promise<CollectionPolicy | null> {
    const all = policies.known() ?? (await policies.current());
    if (all.size === 0) return null;
    const key = collection ?? (id === undefined ? null : await storage.documents.locate(id));
    return key === null ? null : (all.get(key) ?? null);
  }

  /** The policy of a collection; null where there is none. */
  function policyAt(where: Place): CollectionPolicy | null | Promise<CollectionPolicy | null> {
    const known = policies.known();
    if (known === null || (known.size > 0 && where.collection === null)) return readPolicy(where);
    return known.size === 0 || where.collection === null ? null : (known.get(where.collection) ?? null);
  }

  type MaybePolicy = CollectionPolicy | null;

  const scopeBy = (actor: Actor, values: SettingValues, policy: MaybePolicy): AccessScope =>
    accessScopeOf(actor, values[FOLLOWERS_READ], policy === null ? 0 : ruledRights(actor, policy));

  async function readScope(actor: Actor, policy: MaybePolicy | Promise<MaybePolicy>): Promise<AccessScope> {
    const [values, known] = await Promise.all([settings.current(), policy]);
    return scopeBy(actor, values, known);
  }

  function scope(actor: Actor, where: Place): AccessScope | Promise<AccessScope> {
    const values = settings.known();
    const policy = actor.isPrivileged ? null : policyAt(where);
    return values === null || policy instanceof Promise ? readScope(actor, policy) : scopeBy(actor, values, policy);
  }

  /** The check of contents by the schema of a collection; null without one. */
  function checkFor(
    collection: string,
    { schema }: CollectionPolicy,
  ): ContentCheck | Promise<ContentCheck | null> | null {
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
    return openTo(actor, policies.known() ?? (await policies.current()));
  }

  /** What the actor may do with documents of any collection, whatever the rules. */
  const scopeBesideRules = (actor: Actor) => readScope(actor, null);

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
