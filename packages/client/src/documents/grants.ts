import type { CallOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Grants, Right } from '../wire.ts';

/** Recipient of a permission: a user or role by name, or a group by id. */
export type Principal = { readonly user: string } | { readonly role: string } | { readonly group: string };

export interface GrantCalls {
  /** Grants a permission. `all` includes all other permissions and permission to share. */
  grant(id: string, right: Right, to: Principal, options?: CallOptions): Promise<void>;
  revoke(id: string, right: Right, from: Principal, options?: CallOptions): Promise<void>;
}

/** Returns the path segments of a principal. */
export function principalPath(principal: Principal): string {
  if ('user' in principal) return path`/user/${principal.user}`;
  return 'role' in principal ? path`/role/${principal.role}` : path`/group/${principal.group}`;
}

/** @param of returns the path of the object with this id */
export function createGrantCalls(api: Api, of: (id: string) => string): GrantCalls {
  const grantPath = (id: string, right: Right, principal: Principal) =>
    `${of(id)}${path`/${right}`}${principalPath(principal)}`;
  return {
    grant: (id, right, to, options) => api.put(grantPath(id, right, to), undefined, options),
    revoke(id, right, from, options) {
      const { current } = api.transport.session;
      // A user who has revoked their own permission may not repeat it.
      const isOwn = 'user' in from && from.user === current()?.user.username;
      return api.send({
        method: 'DELETE',
        path: grantPath(id, right, from),
        repeat: isOwn ? 'never' : 'always',
        options,
      });
    },
  };
}

interface Grantee {
  readonly name: string;
  readonly isrole?: boolean;
  readonly isgroup?: boolean;
}

const MEMBERS = { read: '_allowRead', update: '_allowUpdate', delete: '_allowDelete', all: '_allow' } as const;
const RIGHTS = ['read', 'update', 'delete', 'all'] as const;

/** Returns the grants of a document that was read with them; null if the caller may not see them. */
export function grantsIn(document: Readonly<Record<string, unknown>>): Required<Grants> | null {
  if (!RIGHTS.some((right) => MEMBERS[right] in document)) return null;
  const grantees = (right: Right) => {
    const all = (document[MEMBERS[right]] ?? []) as readonly Grantee[];
    const names = (of: (one: Grantee) => boolean) => all.filter(of).map(({ name }) => name);
    return {
      users: names(({ isrole, isgroup }) => isrole !== true && isgroup !== true),
      roles: names(({ isrole }) => isrole === true),
      groups: names(({ isgroup }) => isgroup === true),
    };
  };
  return { read: grantees('read'), update: grantees('update'), delete: grantees('delete'), all: grantees('all') };
}

/** Returns the members that set the initial grants of a new document. */
export function grantMembers(grants: Grants): Record<string, readonly Grantee[]> {
  const members: Record<string, readonly Grantee[]> = {};
  for (const right of RIGHTS) {
    const { users = [], roles = [], groups = [] } = grants[right] ?? {};
    members[MEMBERS[right]] = [
      ...users.map((name) => ({ name })),
      ...roles.map((name) => ({ name, isrole: true })),
      ...groups.map((name) => ({ name, isgroup: true })),
    ];
  }
  return members;
}
