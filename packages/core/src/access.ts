import type { Condition, Path } from './criteria/syntax.ts';

/** Rights on a document or file as a bit set. Also the form in the storage. */
export type Rights = number;

export const RIGHTS = { read: 1, update: 2, delete: 4, all: 8 } as const;
/** Rights of authors on their own documents and files. */
export const EVERY_RIGHT = RIGHTS.read | RIGHTS.update | RIGHTS.delete | RIGHTS.all;
export type Action = keyof typeof RIGHTS;

export const ACTIONS = Object.keys(RIGHTS) as readonly Action[];

/**
 * Returns true if the rights include an action. `all` is a separate right and includes the others: revoking `read` from
 * a holder of `all` leaves `all`.
 */
export function allows(held: Rights, wanted: Action): boolean {
  return (held & (RIGHTS[wanted] | RIGHTS.all)) !== 0;
}

/** Returns the bits of which at least one is required for `action`. */
export function sufficientRights(action: Action): Rights {
  return RIGHTS[action] | RIGHTS.all;
}

/** A recipient of rights: `u:<user id>`, `r:<role name in lower case>` or `g:<group id>`. */
export type Principal = string;

export const userPrincipal = (userId: string): Principal => `u:${userId}`;
export const rolePrincipal = (roleName: string): Principal => `r:${roleName.toLowerCase()}`;
export const groupPrincipal = (groupId: string): Principal => `g:${groupId.toLowerCase()}`;

/** Returns the audience of the change feed that consists of this author and their followers. */
export const authorAudience = (userId: string): string => `a:${userId}`;

/** Audience of the change feed for those who may read every document of a collection. */
export const EVERYBODY = '*';

/** Kinds of recipients of a grant. */
export type GranteeKind = 'user' | 'role' | 'group';

const KINDS: Readonly<Record<string, GranteeKind>> = { u: 'user', r: 'role', g: 'group' };

/** Returns the user (by id), role (by key) or group (by id) of a principal. */
export function parsePrincipal(principal: Principal): { readonly kind: GranteeKind; readonly key: string } {
  return { kind: KINDS[principal.charAt(0)] ?? 'role', key: principal.slice('u:'.length) };
}

/** Rights of one principal on one document or file. */
export interface Grant {
  readonly principal: Principal;
  readonly rights: Rights;
}

/** Rights that the rules of a collection give an actor on its documents. */
export interface RuledAccess {
  /** On every document. */
  readonly rights: Rights;
  /** On documents that match a filter. */
  readonly conditions: readonly { readonly rights: Rights; readonly where: Condition }[];
  /** Inherited rights; null for none. */
  readonly parent: InheritedAccess | null;
}

/** Rights inherited from the parent, the document whose id is the text at a path. */
export interface InheritedAccess {
  readonly path: Path;
  /** Key of the collection of the parents; null for any. */
  readonly collection: string | null;
  /** Right on the parent that is required for each right on its children. */
  readonly needs: { readonly [Right in 'read' | 'update' | 'delete']: Action | null };
}

/** Returns true if the rights depend on the document. */
export const isByDocument = (access: RuledAccess | undefined): boolean =>
  access !== undefined && (access.conditions.length > 0 || access.parent !== null);

/** Maximum number of ancestors from which a document inherits rights, each in another collection. */
export const MAX_ANCESTORS = 3;

/** Read permissions of an actor. The storage applies them inside its queries, so that nothing unreadable leaves it. */
export interface AccessScope {
  /** True for administrators and BackOffice users, who have every right on every document and file. */
  readonly everything: boolean;
  /** User who has every right on what they created; `null` for anonymous callers. */
  readonly owner: string | null;
  /** Principals of the actor, including groups. Their grants are in scope. */
  readonly principals: readonly Principal[];
  /** True if documents of users followed by `owner` are readable. */
  readonly followed: boolean;
  /**
   * Rights on every document of the addressed collection under its rules; 0 for none. Never includes `all`, and never
   * applies to files.
   */
  readonly ruled: Rights;
  /**
   * Rights under rules that depend on the document, by collection key, for reads. Contains the addressed collection
   * (or all) and those from which its documents may inherit. Absent if no such rule affects the actor.
   */
  readonly rules?: ReadonlyMap<string, RuledAccess>;
  /**
   * Permissions on documents, from which the files that belong to them inherit. Its `rules` contain all rules of the
   * actor. Absent if no file belongs to a document.
   */
  readonly documents?: Omit<AccessScope, 'documents'> | undefined;
}

/**
 * Returns the rights on a file that the rights on its document give: `read` to read it, `update` to remove it, and both
 * together every right.
 */
export function inheritedByFile(held: Rights): Rights {
  if (allows(held, 'read') && allows(held, 'update')) return EVERY_RIGHT;
  if (allows(held, 'update')) return RIGHTS.update | RIGHTS.delete;
  return allows(held, 'read') ? RIGHTS.read : 0;
}

/** Scope of all documents and files, regardless of their owners. */
export const EVERYTHING: AccessScope = { everything: true, owner: null, principals: [], followed: false, ruled: 0 };

/** Returns true if the scope includes a right on every document of the addressed collection, regardless of owners. */
export function allowsEverywhere({ everything, ruled }: AccessScope, action: Action): boolean {
  return everything || allows(ruled, action);
}

/** Built-in roles, under their names in the API. */
export const ROLES = {
  registered: 'registereduser',
  administrator: 'administrator',
  backOffice: 'BackOffice',
  anonymous: 'anonymous',
} as const;

// A map, not an object, because a client may send the name `constructor`.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['registered', ROLES.registered],
  ['admin', ROLES.administrator],
  ['backoffice', ROLES.backOffice],
]);

/** Returns the key of a role named by a client. Case is ignored, and some roles have aliases. */
export function roleKey(name: string): string {
  const lower = name.toLowerCase();
  return (ALIASES.get(lower) ?? lower).toLowerCase();
}

const ADMINISTRATOR_KEY = roleKey(ROLES.administrator);
const BACK_OFFICE_KEY = roleKey(ROLES.backOffice);

export const isAdministrator = (role: string) => role.toLowerCase() === ADMINISTRATOR_KEY;
/** Returns true for roles that have every right on every document and file. */
export const isPrivileged = (role: string) => isAdministrator(role) || role.toLowerCase() === BACK_OFFICE_KEY;
