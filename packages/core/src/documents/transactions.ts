import { type Actor, isSignedIn } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import type { PoliciesReader } from '../collections/policies.ts';
import { createGrantAllowance } from '../grants.ts';
import type { BeforeEvent, Hooks } from '../hooks/hooks.ts';
import type { Idempotency, KeyedAnswer, KeyedRequest, Outcome } from '../idempotency/idempotency.ts';
import type { SearchCosts } from '../indexes/search-costs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { isUuid } from '../wire.ts';
import { createWorkAllowance } from '../work.ts';
import type { Cascades } from './cascades.ts';
import { createDocuments, type Documents } from './documents.ts';
import { createPlannedWrites } from './planned-writes.ts';
import { createDocumentScopes } from './scopes.ts';
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
  readonly hooks: Hooks;
  readonly cascades: Cascades;
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

const EVENTS: readonly BeforeEvent[] = ['document.create', 'document.update', 'document.delete'];

/** Returns true if there are hooks before writes of documents, in a collection or any. */
const hasDocumentHooks = (hooks: Hooks, collection?: string) => EVENTS.some((event) => hooks.has(event, collection));

/** Creates a function that runs several calls on documents in one transaction, each with separate checks. */
function createTransacting(deps: Omit<DocumentTransactionsDeps, 'idempotency'>) {
  const { secrets, clock, schemaValidators, hooks } = deps;
  const isPlanned = hasDocumentHooks(hooks);

  /** @param run runs its argument in a transaction, which it begins */
  return async function transacting<T, R>(
    actor: Actor,
    { changes, work }: Pick<DocumentTransaction, 'changes'> & { work(documents: Documents): Promise<T> },
    run: (inside: (stores: Stores) => Promise<T>) => Promise<R>,
  ): Promise<R> {
    // Read before the transaction, because waiting for a second connection inside could deadlock.
    const values = await deps.settings.current();
    const settings: SettingsReader = { current: async () => values };
    const known = await deps.policies.current();
    const policies: PoliciesReader = { current: async () => known };
    let isRest = false;
    const cascades: Cascades = {
      async finish() {
        isRest = true;
      },
    };
    const fixed = { settings, policies, schemaValidators, cascades };
    const plan = isPlanned
      ? createPlannedWrites(hooks, actor, async (collection, content) => {
          const { checkAt } = createDocumentScopes({ storage: deps.storage, ...fixed });
          (await checkAt({ collection, id: '' }))?.(content);
        })
      : null;
    const inside = async (stores: Stores): Promise<T> => {
      if (changes.length > 0) await stores.documents.lock(changes);
      const allowances = { grantAllowance: createGrantAllowance(), workAllowance: createWorkAllowance() };
      const storage = plan?.begin(stores) ?? stores;
      const { searchCosts } = deps;
      const result = await work(createDocuments({ storage, secrets, clock, ...fixed, searchCosts, ...allowances }));
      plan?.end();
      return result;
    };
    const result = await (plan === null ? run(inside) : plan.run(() => run(inside)));
    if (isRest) await deps.cascades.finish();
    return result;
  };
}

export function createDocumentTransactions(deps: DocumentTransactionsDeps) {
  const { storage, idempotency } = deps;
  const transacting = createTransacting(deps);

  /** @throws the errors of `work`, `idempotency.*`; of hooks: `extension.*`, `document.conflict` */
  return async function transact(actor: Actor, transaction: DocumentTransaction): Promise<KeyedAnswer> {
    const { keyed } = transaction;
    return transacting(actor, transaction, async (inside) => {
      if (keyed !== null && isSignedIn(actor)) return idempotency.once(actor, keyed, inside);
      return { data: (await storage.transaction(inside)).data, isReplay: false };
    });
  };
}

/** Creates the use cases for single calls. Writes for which there are hooks run in a transaction. */
export function createHookedDocuments(deps: Omit<DocumentTransactionsDeps, 'idempotency'>): Documents {
  const plain: Documents = createDocuments(deps);
  const { storage, hooks } = deps;
  if (!hasDocumentHooks(hooks)) return plain;
  const transacting = createTransacting(deps);
  /** Returns the use cases in a transaction if there are hooks for the collection. */
  function changing<T>(
    actor: Actor,
    { collection, id }: { readonly collection: string | null; readonly id?: string },
    work: (documents: Documents) => Promise<T>,
  ): Promise<T> {
    if (collection !== null && !hasDocumentHooks(hooks, collectionKey(collection))) return work(plain);
    // Invalid ids are refused later.
    const changes = id !== undefined && isUuid(id) ? [id.toLowerCase()] : [];
    return transacting(actor, { changes, work }, (inside) => storage.transaction(inside));
  }
  return {
    ...plain,
    create: (actor, creation) =>
      changing(actor, { collection: creation.collection }, (on) => on.create(actor, creation)),
    replace: (actor, change) => changing(actor, change, (on) => on.replace(actor, change)),
    patch: (actor, change) => changing(actor, change, (on) => on.patch(actor, change)),
    setField: (actor, change) => changing(actor, change, (on) => on.setField(actor, change)),
    removeField: (actor, removal) => changing(actor, removal, (on) => on.removeField(actor, removal)),
    remove: (actor, path, version) => changing(actor, path, (on) => on.remove(actor, path, version)),
  };
}
