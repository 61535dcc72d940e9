import type { Caller, Grantee, GroupRole, GroupStep } from './steps.ts';

/** Groups of the oracle, with the members and roles of each. Users are compared by identity. */

interface Member<User> {
  readonly user: User;
  role: GroupRole;
  /** Position in the order of joining. */
  readonly joined: number;
}

interface Invitation<User> {
  readonly role: GroupRole;
  readonly by: Caller;
  readonly sender: User | null | undefined;
}

interface ModelGroup<User> {
  readonly serial: number;
  members: Member<User>[];
  readonly invited: Map<User, Invitation<User>>;
}

export interface GroupOracleDeps<User> {
  /** Like in the oracle; undefined for users who cannot sign in. */
  userOf(caller: Caller): User | null | undefined;
  userAt(place: number): User | undefined;
  isAdministrator(caller: Caller): boolean;
  /** Returns true if a user blocks the caller. */
  isHidden(caller: Caller, other: User): boolean;
  /** Removes all grants to a principal. */
  forgetGrants(principal: string): void;
}

export function createGroupOracle<User>({
  userOf,
  userAt,
  isAdministrator,
  isHidden,
  forgetGrants,
}: GroupOracleDeps<User>) {
  const groups = new Map<number, ModelGroup<User>>();
  let serials = 0;
  let joins = 0;

  const principalOf = ({ serial }: ModelGroup<User>) => `group ${serial}`;
  const memberOf = (group: ModelGroup<User>, user: User | null | undefined) =>
    group.members.find((member) => member.user === user);

  function roleOf(group: ModelGroup<User>, caller: Caller): GroupRole | 'administrator' | null {
    if (isAdministrator(caller)) return 'administrator';
    const user = userOf(caller);
    return user ? (memberOf(group, user)?.role ?? null) : null;
  }

  function remove(place: number, group: ModelGroup<User>): void {
    groups.delete(place);
    forgetGrants(principalOf(group));
  }

  function setRole(group: ModelGroup<User>, user: User, role: GroupRole): void {
    if (role === 'owner') for (const member of group.members) if (member.role === 'owner') member.role = 'manager';
    const member = memberOf(group, user);
    if (member === undefined) group.members.push({ user, role, joined: ++joins });
    else member.role = role;
  }

  function maySet(own: string, role: GroupRole, held: GroupRole | undefined): boolean {
    if (own === 'owner' || own === 'administrator') return true;
    return own === 'manager' && role === 'member' && (held === undefined || held === 'member');
  }

  function invite(group: ModelGroup<User>, user: User, { role, by }: GroupStep & { readonly role: GroupRole }): number {
    if (role === 'owner') return 404;
    group.invited.set(user, { role, by, sender: userOf(by) });
    return 202;
  }

  /** Applies the response of an invited user. */
  function answer(group: ModelGroup<User>, user: User | null, op: 'accept invitation' | 'decline invitation'): number {
    const invitation = user === null ? undefined : group.invited.get(user);
    if (user === null || invitation === undefined) return 404;
    const isAccepted = op === 'accept invitation';
    if (isAccepted && isHidden(invitation.by, user)) return 404;
    group.invited.delete(user);
    if (isAccepted) setRole(group, user, invitation.role);
    return 200;
  }

  function change(group: ModelGroup<User>, step: GroupStep & { readonly op: 'set member' }, own: string): number {
    const user = userAt(step.user);
    const held = user === undefined ? undefined : memberOf(group, user)?.role;
    if (!maySet(own, step.role, held)) return 403;
    if (held === 'owner' && step.role !== 'owner') return 400;
    if (user === undefined || (held === undefined && isHidden(step.by, user))) return 404;
    if (held === undefined && own !== 'administrator') return invite(group, user, step);
    group.invited.delete(user);
    setRole(group, user, step.role);
    return 200;
  }

  function withdraw(group: ModelGroup<User>, user: User | undefined): number {
    return user !== undefined && group.invited.delete(user) ? 200 : 404;
  }

  function dismiss(group: ModelGroup<User>, step: GroupStep & { readonly op: 'remove member' }, own: string): number {
    const user = userAt(step.user);
    const isSelf = user !== undefined && user === userOf(step.by);
    if (own === 'member' && !isSelf) return 403;
    const held = user === undefined ? undefined : memberOf(group, user)?.role;
    if (held === undefined) return withdraw(group, user);
    if (held !== 'member' && own === 'manager' && !isSelf) return 403;
    if (held === 'owner') return 400;
    group.members = group.members.filter((member) => member.user !== user);
    return 200;
  }

  function make(place: number, user: User): number {
    groups.set(place, { serial: ++serials, members: [{ user, role: 'owner', joined: ++joins }], invited: new Map() });
    return 201;
  }

  function onExisting(group: ModelGroup<User>, step: GroupStep, own: string): number {
    if (step.op === 'set member') return change(group, step, own);
    if (step.op === 'remove member') return dismiss(group, step, own);
    if (own !== 'owner' && own !== 'administrator') return 403;
    remove(step.group, group);
    return 200;
  }

  function forgetInvitations({ invited }: ModelGroup<User>, user: User): void {
    invited.delete(user);
    for (const [other, { sender }] of invited) if (sender === user) invited.delete(other);
  }

  return {
    /** Applies a step. Returns the status of its response. */
    apply(step: GroupStep): number {
      const user = userOf(step.by);
      if (user === undefined) return 401;
      if (step.op === 'make group' && user !== null) return make(step.group, user);
      const group = groups.get(step.group);
      if (group === undefined) return 404;
      if (step.op === 'accept invitation' || step.op === 'decline invitation') return answer(group, user, step.op);
      const own = roleOf(group, step.by);
      return own === null ? 404 : onExisting(group, step, own);
    },
    exists: (place: number) => groups.has(place),
    /** Returns the principal that a caller can share with; null if there is none. */
    grantable(place: number, caller: Caller): string | null {
      const group = groups.get(place);
      return group === undefined || roleOf(group, caller) === null ? null : principalOf(group);
    },
    /** Returns the principal of a group for any caller; null if there is none. */
    principalAt(place: number): string | null {
      const group = groups.get(place);
      return group === undefined ? null : principalOf(group);
    },
    principalsOf: (user: User): string[] =>
      Array.from(groups.values())
        .filter((group) => memberOf(group, user) !== undefined)
        .map(principalOf),
    /**
     * Removes a user. Their groups go to the longest-serving manager, else to the longest-serving member; empty groups
     * are removed.
     */
    removeUser(user: User): void {
      for (const [place, group] of groups) {
        forgetInvitations(group, user);
        const wasOwner = memberOf(group, user)?.role === 'owner';
        group.members = group.members.filter((member) => member.user !== user);
        if (!wasOwner) continue;
        const managers = group.members.filter(({ role }) => role === 'manager');
        const [successor] = (managers.length > 0 ? managers : group.members).toSorted((a, b) => a.joined - b.joined);
        if (successor === undefined) remove(place, group);
        else successor.role = 'owner';
      }
    },
  };
}

/** Returns the principal of a group or user, even if the caller cannot see it; empty if there is none. */
export function unseen(
  grantee: Grantee,
  principalAt: (place: number) => string | null,
  userAt: (place: number) => { readonly serial: number } | undefined,
): string {
  if ('group' in grantee) return principalAt(grantee.group) ?? '';
  const user = 'user' in grantee ? userAt(grantee.user) : undefined;
  return user === undefined ? '' : `user ${user.serial}`;
}
