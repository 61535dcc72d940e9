import { type AccessScope, type Action, allows, EVERYTHING, MAX_ANCESTORS, parsePrincipal, ROLES } from '../access.ts';
import type { Actor } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { mayCreate, policyOf, ruledAccess } from '../collections/policies.ts';
import { matches } from '../criteria/evaluate.ts';
import { resolverOf, valueAt } from '../criteria/values.ts';
import type { AppError } from '../errors.ts';
import type { JsonObject } from '../json-text.ts';
import { type CollectionRules, NO_RULES, type Rule, type RuleAction } from '../ports/storage/collections.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { parentId, parentOf } from './ruled-rights.ts';

/** Sources of a permission, and what refuses one. */
type RuleReasonKind =
  | 'privileged'
  | 'author'
  | 'grant'
  | 'follower'
  | 'rule'
  | 'parent'
  | 'check'
  | 'missing'
  | 'error';

/** Reason to allow or refuse an action. */
export interface RuleReason {
  readonly kind: RuleReasonKind;
  /** As a sentence. */
  readonly text: string;
  /** The right in question, on `document`. */
  readonly right: Action | 'create';
  /** Id of the document that the reason is about; null for a document to be created. */
  readonly document: string | null;
  /** Collection of that document. */
  readonly collection: string;
  /** Recipient of a grant. Groups have their id. */
  readonly to?: { readonly kind: 'user' | 'role' | 'group'; readonly name: string };
  /** Role of a rule. */
  readonly role?: string;
  /** Condition of a rule, or expression of a check. */
  readonly expression?: string;
  /** Error with which it is refused. */
  readonly code?: string;
}

export interface RuleReasonsDeps {
  readonly stores: Stores;
  readonly rules: ReadonlyMap<string, CollectionRules>;
  /** True if followers may read the documents of a user. */
  readonly followersRead: boolean;
  readonly actor: Actor;
}

/** A document, or one to be created. */
export interface CheckedDocument {
  readonly document: DocumentRecord | null;
  /** Name of its collection. */
  readonly collection: string;
  /** Content to store. */
  readonly content: JsonObject;
}

/** A scope with a single source of rights, and the reason if the storage finds that it gives the right. */
interface Source {
  readonly scope: Partial<AccessScope>;
  readonly reason: Omit<RuleReason, 'right' | 'document' | 'collection'>;
}

const NOTHING: AccessScope = { everything: false, owner: null, principals: [], followed: false, ruled: 0 };

const PLAIN = { schema: null, unique: [], search: null };
/** Compiles some rules, as if the collection had no others. */
const only = (rule: Partial<CollectionRules>) => policyOf({ ...NO_RULES, ...rule }, PLAIN);

const expressionOf = ({ condition }: Rule) => (condition === null ? {} : { expression: condition });
const ruleText = ({ role, condition }: Rule) => (condition === null ? `"${role}"` : `"${role}" if ${condition}`);

/**
 * Finds the reasons for a permission: each is a scope with a single source, which the storage then examines as it does
 * for requests.
 */
export function createRuleReasons({ stores, rules, followersRead, actor }: RuleReasonsDeps) {
  const name = actor.user?.name ?? 'An anonymous caller';
  const isPrivileged = `${name} is an administrator, or has the role BackOffice.`;
  const rulesOf = (key: string) => rules.get(key) ?? NO_RULES;

  const aboutStored = ({ id, collection }: DocumentRecord, right: Action) => ({ right, document: id, collection });

  /** Returns every possible source of a right on a document, apart from its parent. */
  function sourcesOf({ author, collection }: DocumentRecord, right: Action): Source[] {
    const owner = actor.user?.id ?? null;
    const sources: Source[] = actor.principals.map((principal) => {
      const { kind, key } = parsePrincipal(principal);
      const to = { kind, name: kind === 'user' ? name : key };
      const text = `The right "${right}" was granted to the ${kind} ${to.name}.`;
      return { scope: { principals: [principal] }, reason: { kind: 'grant', to, text } };
    });
    if (owner !== null && author === actor.user?.name) {
      sources.unshift({ scope: { owner }, reason: { kind: 'author', text: `${name} is the author of the document.` } });
    } else if (owner !== null && followersRead) {
      const reason = { kind: 'follower', text: `${name} follows the author, ${author}.` } as const;
      sources.unshift({ scope: { owner, followed: true }, reason });
    }
    const key = collectionKey(collection);
    for (const rule of right === 'all' ? [] : rulesOf(key)[right]) {
      const access = ruledAccess(actor, only({ [right]: [rule] }));
      const text = `The rule "${right}" of ${collection} allows it to ${ruleText(rule)}.`;
      sources.push({
        scope: { ruled: access.rights, rules: new Map([[key, access]]) },
        reason: { kind: 'rule', role: rule.role, ...expressionOf(rule), text },
      });
    }
    return sources;
  }

  /** Returns the reasons why the user has a right on a document; none if they do not have it. */
  async function forRight(
    document: DocumentRecord,
    right: Action,
    below: readonly string[] = [],
  ): Promise<RuleReason[]> {
    if (actor.isPrivileged) return [{ ...aboutStored(document, right), kind: 'privileged', text: isPrivileged }];
    const key = collectionKey(document.collection);
    const reasons: RuleReason[] = [];
    for (const { scope, reason } of sourcesOf(document, right)) {
      const found = await stores.documents.find({ collection: key, id: document.id }, { ...NOTHING, ...scope });
      if (found !== null && allows(found.rights, right)) reasons.push({ ...aboutStored(document, right), ...reason });
    }
    return [...reasons, ...(await inherited(document, right, [...below, key]))];
  }

  /** Returns the reasons from the parent of a document. */
  async function inherited(document: DocumentRecord, right: Action, path: readonly string[]): Promise<RuleReason[]> {
    const policy = policyOf(rulesOf(collectionKey(document.collection)), PLAIN);
    const need = right === 'all' ? null : (policy.parent?.needs[right] ?? null);
    if (policy.parent === null || need === null || path.length > MAX_ANCESTORS) return [];
    const id = parentOf(document, policy.parent.path);
    const parent = id && (await stores.documents.find({ collection: policy.parent.collection, id }, EVERYTHING));
    if (!parent || path.includes(collectionKey(parent.collection))) return [];
    const above = await forRight(parent, need, path);
    if (above.length === 0) return [];
    const text = `${name} inherits "${right}" from "${need}" on the parent ${parent.id} in ${parent.collection}.`;
    const { id: itself, collection } = document;
    return [{ kind: 'parent', right, document: itself, collection, text }, ...above];
  }

  /** Returns the rules under which the user may create a document, apart from the parent. */
  function forStoring({ collection, content }: CheckedDocument): RuleReason[] {
    const about = { right: 'create', document: null, collection } as const;
    if (actor.isPrivileged) return [{ ...about, kind: 'privileged', text: isPrivileged }];
    const given = rulesOf(collectionKey(collection)).create ?? [{ role: ROLES.registered, condition: null }];
    return given.flatMap((rule): RuleReason[] => {
      const may = mayCreate(actor, only({ create: [rule] }));
      if (may === false || (may !== true && !matches(may, resolverOf(content)))) return [];
      const text = `The rule "create" of ${collection} allows it to ${ruleText(rule)}.`;
      return [{ ...about, kind: 'rule', role: rule.role, ...expressionOf(rule), text }];
    });
  }

  /** Returns the reasons why the user may create a document. */
  async function forCreating(place: CheckedDocument): Promise<RuleReason[]> {
    const reasons = forStoring(place);
    const { collection, content } = place;
    const { parent } = policyOf(rulesOf(collectionKey(collection)), PLAIN);
    const need = parent?.needs.create ?? null;
    const id = parent === null || need === null ? null : parentId(valueAt(parent.path, resolverOf(content)));
    if (parent === null || need === null || id === null || actor.isPrivileged) return reasons;
    const found = await stores.documents.find({ collection: parent.collection, id }, EVERYTHING);
    if (found === null) return reasons;
    const text = `${name} has the right "${need}" on the parent ${id} in ${found.collection}.`;
    const inParent = { kind: 'parent', right: 'create', document: null, collection, text } as const;
    return [...reasons, inParent, ...(await forRight(found, need))];
  }

  /** Returns the sentence for missing permissions, and where they are missing. */
  async function missing(right: RuleAction, place: CheckedDocument): Promise<Pick<RuleReason, 'kind' | 'text'>> {
    const { document, collection } = place;
    if (right === 'create' || document === null) {
      if (forStoring(place).length > 0) return { kind: 'parent', text: `${name} lacks the right on the parent.` };
      return { kind: 'missing', text: `No rule of ${collection} allows ${name} to create this document.` };
    }
    const isHeld = (await forRight(document, right)).length > 0;
    if (isHeld) return { kind: 'parent', text: `${name} lacks the right on the new parent.` };
    return { kind: 'missing', text: `No grant, rule or parent gives ${name} the right "${right}" on the document.` };
  }

  /** Returns what refused an action. */
  async function forRefusal(
    { code, message }: AppError,
    right: RuleAction,
    place: CheckedDocument,
  ): Promise<RuleReason> {
    const { document, collection } = place;
    const about = { right, document: document?.id ?? null, collection, code };
    if (code === 'access.denied') return { ...about, ...(await missing(right, place)) };
    if (code === 'document.parent_invalid') return { ...about, kind: 'parent', text: `${message}.` };
    const check =
      code === 'rule.refused' && right !== 'read' ? rulesOf(collectionKey(collection)).checks[right] : undefined;
    if (check === undefined) return { ...about, kind: 'error', text: `${message}.` };
    const text = `The check "${right}" of ${collection} is not satisfied.`;
    return { ...about, kind: 'check', expression: check.expression, text };
  }

  return {
    /** Returns what allows an action. */
    async forSuccess(action: RuleAction, place: CheckedDocument): Promise<readonly RuleReason[]> {
      return action === 'create' || place.document === null ? forCreating(place) : forRight(place.document, action);
    },

    forRefusal,
  };
}
