/** Types of rules of collections, part of `admin-wire.ts`. */

/** A role whose users have a permission: on all documents, or on those that match the filter `if`. */
export type Rule = string | { readonly role: string; readonly if: string };

/** The right on a parent that allows an action on its children; null if it is not inherited. */
export type ParentRight = 'read' | 'update' | 'delete' | 'all' | null;

/** Permissions inherited from a parent document. */
export interface ParentRules {
  /** Path of the field with the id of the parent. */
  readonly field: string;
  /** Collection of the parents; null for any. */
  readonly collection: string | null;
  readonly create: ParentRight;
  readonly read: ParentRight;
  readonly update: ParentRight;
  readonly delete: ParentRight;
  /** Effect of the removal of a parent on its children. */
  readonly onDelete: 'cascade' | 'restrict' | 'detach';
}

/** A text for each kind of write. */
export interface PerWrite {
  readonly create?: string;
  readonly update?: string;
  readonly delete?: string;
}

/** Rules of a collection. */
export interface Rules {
  readonly create: readonly Rule[];
  readonly read: readonly Rule[];
  readonly update: readonly Rule[];
  readonly delete: readonly Rule[];
  readonly parent: ParentRules | null;
  /** Expressions that writes must satisfy. */
  readonly check: PerWrite;
  /** Messages of refused writes. */
  readonly messages: PerWrite;
}

/** Rules to change. Absent ones stay unchanged. */
export interface RulesChange extends Partial<Omit<Rules, 'parent'>> {
  /** A field alone stands for the usual inheritance through it. */
  readonly parent?: string | (Partial<ParentRules> & Pick<ParentRules, 'field'>) | null;
}

/** Permission to test, for one user and one action. */
export interface RuleTestRequest {
  /** Name of a user; null or absent for an anonymous caller. */
  readonly user?: string | null;
  readonly action: 'create' | 'read' | 'update' | 'delete';
  /** Id of the document; absent to create one. */
  readonly document?: string;
  /** Content to store; to update, by default that of the document. */
  readonly content?: object;
}

/** Reason to allow or refuse an action. */
export interface RuleReason {
  readonly kind: 'privileged' | 'author' | 'grant' | 'follower' | 'rule' | 'parent' | 'check' | 'missing' | 'error';
  /** The reason as a sentence. */
  readonly text: string;
  readonly right: 'create' | 'read' | 'update' | 'delete' | 'all';
  /** Id of the document that the reason is about; null for one to be created. */
  readonly document: string | null;
  readonly collection: string;
  /** Recipient of a grant. A group has its id as the name. */
  readonly to?: { readonly kind: 'user' | 'role' | 'group'; readonly name: string };
  /** Role of a rule. */
  readonly role?: string;
  /** Condition of a rule, or a check. */
  readonly expression?: string;
  /** Code of the error with which it is refused. */
  readonly code?: string;
}

export interface RuleTest {
  readonly allowed: boolean;
  /** Every source of the permission, each followed by its parents; or the reason for the refusal. */
  readonly because: readonly RuleReason[];
}
