import { type Actor, isSignedIn } from '../actor.ts';
import type { PoliciesReader } from '../collections/policies.ts';
import { createGrantAllowance } from '../grants.ts';
import type { Idempotency, KeyedAnswer, KeyedRequest, Outcome } from '../idempotency/idempotency.ts';
import type { SearchCosts } from '../indexes/search-costs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { createDocuments, type Documents } from './documents.ts';
import type { SchemaValidators } from './validators.ts';

export interface DocumentTransactionsDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly policies: PoliciesReader;
  readonly schemaValidators: SchemaValidators;
  readonly searchCosts: SearchCosts;
  readonly idempotency: Idempotency;
}

export interface DocumentTransaction {
  /** Ids of the documents that it may change. */
  readonly changes: readonly string[];
  /** Idempotency key, if sent; ignored for anonymous callers, who change nothing. */
  readonly keyed: KeyedRequest | null;
  /** Runs the calls. May be called again from the start. */
  work(documents: Documents): Promise<Outcome>;
}

export type DocumentTransactions = ReturnType<typeof createDocumentTransactions>;

/** Runs several calls on documents in one transaction, each with separate checks. */
export function createDocumentTransactions(deps: DocumentTransactionsDeps) {
  const { storage, secrets, clock, schemaValidators, idempotency } = deps;

  /** @throws the errors of `work`, `idempotency.*` */
  return async function transact(actor: Actor, { changes, keyed, work }: DocumentTransaction): Promise<KeyedAnswer> {
    // Read before the transaction, because waiting for a second connection inside could deadlock.
    const values = await deps.settings.current();
    const settings: SettingsReader = { current: async () => values };
    const known = await deps.policies.current();
    const policies: PoliciesReader = { current: async () => known };
    const inside = async (stores: Stores): Promise<Outcome> => {
      if (changes.length > 0) await stores.documents.lock(changes);
      const grantAllowance = createGrantAllowance();
      const inner = {
        storage: stores,
        secrets,
        clock,
        settings,
        policies,
        schemaValidators,
        searchCosts: deps.searchCosts,
        grantAllowance,
      };
      return work(createDocuments(inner));
    };
    if (keyed !== null && isSignedIn(actor)) return idempotency.once(actor, keyed, inside);
    return { data: (await storage.transaction(inside)).data, isReplay: false };
  };
}
