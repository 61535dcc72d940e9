/** The rights on a document or file as a bit set: this form is stored, compared and passed to the storage. */
export type Rights = number;

export const RIGHTS = { read: 1, update: 2, delete: 4, all: 8 } as const;
/** What authors hold on what they created. */
export const EVERY_RIGHT = RIGHTS.read | RIGHTS.update | RIGHTS.delete | RIGHTS.all;
export type Action = keyof typeof RIGHTS;

export const ACTIONS = Object.keys(RIGHTS) as readonly Action[];

/** `all` is a right of its own and includes the others: revoking `read` from a holder of `all` leaves `all`. */
export function allows(held: Rights, wanted: Action): boolean {
  return (held & (RIGHTS[wanted] | RIGHTS.all)) !== 0;
}

/** The bits of which at least one must be held for `action`. */
export function sufficientRights(action: Action): Rights {
  return RIGHTS[action] | RIGHTS.all;
}

/** To whom rights can be granted: `u:<user id>`, `r:<role name in lower case>` or `g:<group id>`. */
export type Principal = string;

export const userPrincipal = (userId: string): Principal => `u:${userId}`;
export const rolePrincipal = (roleName: string): Principal => `r:${roleName.toLowerCase()}`;
export const groupPrincipal = (groupId: string): Principal => `g:${groupId.toLowerCase()}`;

/** The author with this id and everybody who follows them, as an audience of the change feed. */
export const authorAudience = (userId: string): string => `a:${userId}`;

/** Whoever may read every document of a collection, as an audience of the change feed. */
export const EVERYBODY = '*';

/** What a grant is given to. */
export type GranteeKind = 'user' | 'role' | 'group';

const KINDS: Readonly<Record<string, GranteeKind>> = { u: 'user', r: 'role', g: 'group' };

/** The user (by id), role (by key) or group (by id) that a principal names. */
export function parsePrincipal(principal: Principal): { readonly kind: GranteeKind; readonly key: string } {
  return { kind: KINDS[principal.charAt(0)] ?? 'role', key: principal.slice('u:'.length) };
}

/** The rights of one principal on one document or file. */
export interface Grant {
  readonly principal: Principal;
  readonly rights: Rights;
}

/** What an actor may read. The storage applies it inside its queries, so that nothing unreadable leaves the storage. */
export interface AccessScope {
  /** Administrators and BackOffice users: every document and file, with every right. */
  readonly everything: boolean;
  /** The user who owns what they created, with every right; `null` for anonymous callers. */
  readonly owner: string | null;
  /** The principals of the actor, their groups included: what is granted to one of them is in scope. */
  readonly principals: readonly Principal[];
  /** Whether documents of users whom `owner` follows can be read. */
  readonly followed: boolean;
  /**
   * Rights on every document of the addressed collection, by the rules of that collection; 0 for none. Never includes
   * `all`, and never concerns files.
   */
  readonly ruled: Rights;
}

/** Reads every document and file, whoever owns it. */
export const EVERYTHING: AccessScope = { everything: true, owner: null, principals: [], followed: false, ruled: 0 };

/** Whether the scope gives a right on every document of the addressed collection, whoever owns it. */
export function allowsEverywhere({ everything, ruled }: AccessScope, action: Action): boolean {
  return everything || allows(ruled, action);
}
