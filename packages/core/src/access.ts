/** Rights on a document or file, as a set of bits: stored, compared and sent to the storage in this form. */
export type Rights = number;

export const RIGHTS = { read: 1, update: 2, delete: 4, all: 8 } as const;
export type Action = keyof typeof RIGHTS;

export const ACTIONS = Object.keys(RIGHTS) as readonly Action[];

/** `all` is a right of its own and includes the others: revoking `read` from a holder of `all` leaves `all`. */
export function allows(held: Rights, wanted: Action): boolean {
  return (held & (RIGHTS[wanted] | RIGHTS.all)) !== 0;
}

/** The bits of which one must be held for `action`. */
export function sufficientRights(action: Action): Rights {
  return RIGHTS[action] | RIGHTS.all;
}

/** Somebody to whom rights can be granted: `u:<user id>` or `r:<role name in lower case>`. */
export type Principal = string;

export const userPrincipal = (userId: string): Principal => `u:${userId}`;
export const rolePrincipal = (roleName: string): Principal => `r:${roleName.toLowerCase()}`;

/** Whom a principal stands for: a user by id or a role by its key. */
export function parsePrincipal(principal: Principal): { readonly kind: 'user' | 'role'; readonly key: string } {
  return { kind: principal.startsWith('u:') ? 'user' : 'role', key: principal.slice('u:'.length) };
}

/** Rights held by one principal on one object. */
export interface Grant {
  readonly principal: Principal;
  readonly rights: Rights;
}

/** How far a caller sees: the storage applies it inside its queries, so that nothing unreadable leaves it. */
export interface AccessScope {
  /** Administrators and BackOffice users: every object, with every right. */
  readonly everything: boolean;
  /** What this user owns is theirs with every right; `null` for anonymous callers. */
  readonly owner: string | null;
  /** What is granted to one of these. */
  readonly principals: readonly Principal[];
  /** Whether what is owned by users whom `owner` follows can be read. */
  readonly followed: boolean;
}
