import { type AccessScope, type Action, allows, EVERYTHING, RIGHTS, type Rights } from '../access.ts';
import { type Actor, requireAuthor } from '../actor.ts';
import type { CollectionPolicy, Policies, PoliciesReader } from '../collections/policies.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { CheckedAction } from '../ports/storage/collections.ts';
import type {
  ChangedDocument,
  ChangeRecord,
  DocumentAddress,
  DocumentRecord,
  DocumentStore,
  FoundDocument,
  NewDocument,
  Refusal,
} from '../ports/storage/documents.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { FOLLOWERS_READ } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { WorkAllowance } from '../work.ts';
import type { Cascades } from './cascades.ts';
import { failedCheck } from './checks.ts';
import {
  childrenOf,
  hasChildren,
  isMoved,
  mayAffectAccess,
  NO_REACH,
  reachOf,
  recordReach,
  removeTree,
  requireParent,
  type Writing,
} from './inheritance.ts';
import type { DocumentScopes } from './scopes.ts';
import type { VerifyUnique } from './unique.ts';

export interface DocumentWritesDeps {
  /** The storage, or the stores of the surrounding transaction. */
  readonly storage: Stores | Storage;
  readonly clock: Clock;
  readonly policies: PoliciesReader;
  readonly settings: SettingsReader;
  readonly scope: DocumentScopes['scope'];
  readonly anywhere: DocumentScopes['anywhere'];
  readonly cascades: Cascades;
  readonly work: WorkAllowance | null;
}

/** `claim`: to create with an id chosen by a client. */
type Guarded = CheckedAction | 'grant' | 'claim';

/** A write to a document whose result depends on rules, in a transaction. */
interface Turn extends Writing {
  readonly key: string;
  readonly policy: CollectionPolicy | undefined;
  /** Permissions on documents of the collection. */
  readonly held: AccessScope;
}

/** Returns true if a write depends on rules, or may change permissions on other documents. */
function isGuarded(action: Guarded, policies: Policies, key: string): boolean {
  const policy = policies.get(key);
  const hasChildren = () => childrenOf(policies, key).length > 0;
  if (action === 'grant') return hasChildren();
  const checked = action === 'claim' ? 'create' : action;
  if (policy !== undefined && (policy.parent !== null || policy.checks[checked] !== undefined)) return true;
  if (action === 'create') return false;
  if (action === 'claim') return hasChildren();
  const hasConditions = policy?.rules.some(({ condition }) => condition !== null) ?? false;
  return hasConditions || (action === 'delete' && hasChildren());
}

/** A change of content: the new content, or a function that returns it, or null to leave the document as it is. */
export interface ContentChange extends Omit<ChangeRecord, 'by'> {
  readonly content: string | ((content: string, isReadable: boolean) => string | null);
  /** Maximum number of times that the change reads the stored content. */
  readonly passes?: number;
  readonly verify: VerifyUnique;
}

export type DocumentWrites = ReturnType<typeof createDocumentWrites>;

/**
 * Writes to documents. Most are single statements. Those that depend on conditions, parents or checks lock the document,
 * decide by its state, and record for the change feed whose permissions change.
 */
export function createDocumentWrites({
  storage,
  clock,
  policies,
  settings,
  scope,
  anywhere: scopeAnywhere,
  cascades,
  work: allowance,
}: DocumentWritesDeps) {
  /** Runs a write in a transaction; resolves to null if it needs none. */
  async function guarded<T>(
    actor: Actor,
    { collection, id }: DocumentAddress,
    action: Guarded,
    work: (turn: Turn) => Promise<T>,
  ): Promise<T | null> {
    const all = await policies.current();
    if (all.size === 0) return null;
    const key = collection ?? (await storage.documents.locate(id));
    if (key === null || !isGuarded(action, all, key)) return null;
    // Read before the transaction, because waiting for a second connection inside could deadlock.
    const held = await scope(actor, { collection: key });
    const anywhere = await scopeAnywhere(actor);
    const followersRead = (await settings.current())[FOLLOWERS_READ];
    const known = { key, policy: all.get(key), policies: all, held, anywhere, followersRead, actor, clock };
    const inTransaction = (stores: Stores) => work({ ...known, stores });
    return 'transaction' in storage ? storage.transaction(inTransaction) : inTransaction(storage);
  }

  /** @throws `rule.refused` if the write does not satisfy the check of the collection */
  async function check(
    { stores, policy, actor }: Turn,
    action: CheckedAction,
    write: { readonly old: DocumentRecord | null; readonly new: DocumentRecord | null },
  ): Promise<void> {
    if (policy === undefined || actor.isPrivileged) return;
    const failed = await failedCheck(action, { stores, policy, actor, ...write, now: clock.now() });
    if (failed === null) return;
    throw new AppError('rule.refused', {
      ...(failed.message !== null && { message: failed.message }),
      beside: { rule: action },
    });
  }

  /** Records changed permissions for the change feed. Resolves to true if the writer can read the result. */
  async function recordUpdate(turn: Turn, found: FoundDocument, result: DocumentRecord): Promise<boolean> {
    const { stores, policy, key, held } = turn;
    let { rights } = found;
    if (policy !== undefined && mayAffectAccess(policy, { before: found, after: result })) {
      await recordReach(turn, found, { before: await reachOf(turn, found), after: await reachOf(turn, result) });
      rights = (await stores.documents.find({ collection: key, id: found.id }, held))?.rights ?? 0;
    }
    return allows(rights, 'read');
  }

  /** Removes a document on which no rule depends. */
  async function removeAlone(address: DocumentAddress, scopeHere: AccessScope, version: number | null) {
    const found = version === null ? null : await storage.documents.find(address, scopeHere);
    const refused = version === null ? null : refusalOf(found, 'delete', version);
    return refused ?? storage.documents.remove(address, scopeHere);
  }

  return {
    /** Stores a document, see `DocumentStore.add`. @throws as `requireParent`, `rule.refused`, `document.duplicate` */
    async add(actor: Actor, document: NewDocument, verify: VerifyUnique): Promise<DocumentRecord | 'taken' | null> {
      const { isOwnId = false } = document;
      const added = await guarded(actor, document, isOwnId ? 'claim' : 'create', async (turn) => {
        const { id, created, content, collection } = document;
        // Children of a removed document would be at the mercy of everyone who knows its id.
        if (isOwnId && !actor.isPrivileged && (await hasChildren(turn, turn.key, id)))
          return { document: 'taken' } as const;
        const author = requireAuthor(actor).name;
        const draft = { id, created, updated: created, content, collection, version: 1, author, updatedBy: author };
        await requireParent(turn, turn.key, draft);
        await check(turn, 'create', { old: null, new: draft });
        await verify({ ...turn, content });
        return { document: await turn.stores.documents.add(document) };
      });
      if (added !== null) return added.document;
      await verify(null);
      return storage.documents.add(document);
    },

    /**
     * Changes a document with these permissions.
     *
     * @throws as `requireParent`, `rule.refused`, `batch.work_too_large`, and errors of the change
     */
    async update(
      actor: Actor,
      address: DocumentAddress,
      scopeHere: AccessScope,
      { content: change, passes = 1, verify, ...unsigned }: ContentChange,
    ): Promise<ChangedDocument | Refusal | 'stale'> {
      const record = { ...unsigned, by: requireAuthor(actor).id };
      const contentOf = (content: string, isReadable: boolean) => {
        allowance?.spend(content.length * passes);
        return typeof change === 'string' ? change : change(content, isReadable);
      };
      const changed = await guarded(actor, address, 'update', async (turn) => {
        const { stores, key, held, policy } = turn;
        await stores.documents.lock([address.id]);
        const found = await stores.documents.find(address, held);
        const refused = refusalOf(found, 'update', record.version);
        if (found === null || refused !== null) return refused ?? 'missing';
        const content = contentOf(found.content, allows(found.rights, 'read'));
        const { updated } = record;
        const draft = draftOf(found, content, { updated, updatedBy: requireAuthor(actor).name });
        if (policy !== undefined && isMoved(policy, { before: found, after: draft }))
          await requireParent(turn, key, draft);
        await check(turn, 'update', { old: found, new: draft });
        const result = await changeLocked(stores, {
          address,
          scope: asAllowed(held, found.rights),
          content,
          record: { ...record, version: found.version },
          verify: (changed) => verify({ ...turn, content: changed }),
        });
        if (typeof result === 'string') return result;
        return { ...result, isReadable: await recordUpdate(turn, found, result) };
      });
      if (changed !== null) return changed;
      await verify(null);
      if (typeof change === 'string')
        return storage.documents.replace(address, scopeHere, { ...record, content: change });
      return storage.documents.edit(address, scopeHere, { ...record, change: contentOf });
    },

    /** Removes a document with these permissions, and the children that go with it. @param version null for any */
    async remove(
      actor: Actor,
      address: DocumentAddress,
      scopeHere: AccessScope,
      version: number | null,
    ): Promise<'removed' | Refusal | 'stale'> {
      const guardedResult = await guarded(
        actor,
        address,
        'delete',
        async (turn): Promise<'removed' | 'leaving' | Refusal | 'stale'> => {
          const { stores, held } = turn;
          await stores.documents.lock([address.id]);
          const found = await stores.documents.find(address, held);
          const refused = refusalOf(found, 'delete', version);
          if (found === null || refused !== null) return refused ?? 'missing';
          allowance?.spend(found.content.length);
          await check(turn, 'delete', { old: found, new: null });
          let outcome: 'removed' | 'leaving' = 'removed';
          const onRest = () => {
            outcome = 'leaving';
          };
          await removeTree({ ...turn, onRest }, found);
          return outcome;
        },
      );
      const result = guardedResult ?? (await removeAlone(address, scopeHere, version));
      if (result !== 'leaving') return result;
      await cascades.finish();
      return 'removed';
    },

    /** Changes grants with `work`. Records for the change feed which access children inherit. */
    async grant<T>(actor: Actor, address: DocumentAddress, work: (documents: DocumentStore) => Promise<T>): Promise<T> {
      const changed = await guarded(actor, address, 'grant', async (turn) => {
        const { stores } = turn;
        await stores.documents.lock([address.id]);
        const found = await stores.documents.find(address, EVERYTHING);
        const before = found === null ? NO_REACH : await reachOf(turn, found);
        const result = await work(stores.documents);
        if (found !== null) {
          // The store records whose access to the document itself changes.
          const after = await reachOf(turn, found);
          await recordReach(turn, found, { before: { ...before, own: after.own }, after });
        }
        return { result };
      });
      return changed === null ? work(storage.documents) : changed.result;
    },
  };
}

/** Returns the reason to refuse a change of a found document; null if it is allowed. */
export function refusalOf(
  found: FoundDocument | null,
  action: Action,
  version: number | null,
): Refusal | 'stale' | null {
  if (found === null) return 'missing';
  if (!allows(found.rights, action)) return 'denied';
  return version !== null && version !== found.version ? 'stale' : null;
}

/** Returns a document as it would be after a change. @param content null for the same content */
const draftOf = (
  found: FoundDocument,
  content: string | null,
  by: Pick<DocumentRecord, 'updated' | 'updatedBy'>,
): FoundDocument => ({ ...found, content: content ?? found.content, version: found.version + 1, ...by });

interface LockedChange {
  readonly address: DocumentAddress;
  readonly scope: AccessScope;
  /** Null for the same content: the document stays as it is, unless a hook changes it. */
  readonly content: string | null;
  readonly record: ChangeRecord;
  /** Called before a new content is stored. */
  verify(content: string): Promise<void>;
}

/** Changes a locked document. */
async function changeLocked({ documents }: Stores, { address, scope, content, record, verify }: LockedChange) {
  if (content === null) return documents.edit(address, scope, { ...record, change: () => null });
  await verify(content);
  return documents.replace(address, scope, { ...record, content });
}

const BY_RULES = RIGHTS.read | RIGHTS.update | RIGHTS.delete;

/** Returns the scope with the rights found on a locked document, so that a statement need not examine rules. */
function asAllowed({ rules: _rules, ...scope }: AccessScope, rights: Rights): AccessScope {
  return { ...scope, ruled: rights & BY_RULES };
}
