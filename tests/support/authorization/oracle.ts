import { isFollowStep, type PairStep } from './follow-steps.ts';
import { createFollowOracle } from './oracle-follows.ts';
import { createGroupOracle } from './oracle-groups.ts';
import { createInheritance } from './oracle-inheritance.ts';
import { createRulesOracle } from './oracle-rules.ts';
import { createWritesOracle } from './oracle-writes.ts';
import { type Action, type Caller, type FeedStep, type Given, type Grantee, isGroupStep, type Step } from './steps.ts';

/**
 * A second, independent implementation of the access rules: plain data and plain rules, without the server's code,
 * indexes, bits or caches. It predicts the status of each step and the data visible to each caller afterwards.
 */

export interface User {
  readonly serial: number;
  role: string;
  active: boolean;
}

export interface ModelDocument {
  readonly owner: User;
  readonly collection: number;
  /** Id on the server; known after the server's response. */
  id: string;
  n: number;
  /** Id of the parent as in the content; null without one. */
  link: string | null;
  friend: number | null;
  /** Grants by principal: `user 3`, `role editors` or `group 2`. */
  readonly given: Map<string, Set<Action>>;
}

const roleName = (role: string | number) => (typeof role === 'number' ? `own ${role}` : role);

export type Oracle = ReturnType<typeof createOracle>;

/** @param idOf returns the text that refers to a document by its number */
export function createOracle(idOf: (place: number) => string) {
  const users = new Map<number, User>();
  const roles = new Set<number>();
  const social = createFollowOracle();
  const documents = new Map<number, ModelDocument>();
  /** Documents in the order of creation. */
  let order: ModelDocument[] = [];
  const rules = createRulesOracle(roleName);
  let followersRead = true;
  let serials = 0;

  /** Returns the signed-in user; null for anonymous callers and the administrator; undefined if sign-in fails. */
  function userOf(caller: Caller): User | null | undefined {
    if (typeof caller !== 'number') return null;
    const user = users.get(caller);
    return user?.active ? user : undefined;
  }

  const groups = createGroupOracle<User>({
    isHidden: (caller, other) => isHidden(caller, other),
    userOf,
    userAt: (place) => users.get(place),
    isAdministrator: (caller) => caller === 'admin' || userOf(caller)?.role === 'administrator',
    forgetGrants: (principal) => {
      for (const { given } of order) given.delete(principal);
    },
  });

  function principalsOf(caller: Caller): string[] {
    const user = userOf(caller);
    if (!user) return ['role anonymous'];
    return [
      `user ${user.serial}`,
      `role ${user.role}`,
      'role registereduser',
      'role anonymous',
      ...groups.principalsOf(user),
    ];
  }

  function isPrivileged(caller: Caller): boolean {
    const role = caller === 'admin' ? 'administrator' : userOf(caller)?.role;
    return role === 'administrator' || role === 'BackOffice';
  }

  const asRuled = (caller: Caller) => ({
    principals: principalsOf(caller),
    user: typeof caller === 'number' && userOf(caller) ? caller : null,
  });

  /** Returns what a caller inherits. */
  const inheritanceOf = (caller: Caller) =>
    createInheritance({
      rules,
      documents: () => order,
      hasPlain(action, { owner, given }) {
        const user = userOf(caller);
        if (user && owner === user) return true;
        if (user && action === 'read' && followersRead && social.follows(user.serial, owner.serial)) return true;
        return principalsOf(caller).some((principal) => {
          const held = given.get(principal);
          return held !== undefined && (held.has(action) || held.has('all'));
        });
      },
    });

  const may = (caller: Caller, action: Action, document: ModelDocument): boolean =>
    isPrivileged(caller) || inheritanceOf(caller).may(asRuled(caller), action, document);

  /** Returns the principal; null if the caller sees no such user, role or group. */
  function principal(grantee: Grantee, by: Caller): string | null {
    if ('group' in grantee) return groups.grantable(grantee.group, by);
    if ('user' in grantee) {
      const user = users.get(grantee.user);
      return user === undefined || isHidden(by, user) ? null : `user ${user.serial}`;
    }
    if (typeof grantee.role === 'number' && !roles.has(grantee.role)) return null;
    return `role ${roleName(grantee.role)}`;
  }

  /** Returns null if one of the principals does not exist. */
  function collect(allow: readonly Given[], by: Caller): Map<string, Set<Action>> | null {
    const given = new Map<string, Set<Action>>();
    for (const { action, to } of allow) {
      const who = principal(to, by);
      if (who === null) return null;
      given.set(who, (given.get(who) ?? new Set<Action>()).add(action));
    }
    return given;
  }

  function forget(gone: (document: ModelDocument) => boolean): void {
    for (const [place, document] of documents) if (gone(document)) documents.delete(place);
    order = order.filter((document) => !gone(document));
  }

  const onDocument = createWritesOracle({
    rules,
    groups,
    documents,
    userOf,
    userAt: (place) => users.get(place),
    isPrivileged,
    asRuled,
    inheritanceOf,
    may,
    principal,
    collect,
    idOf,
    add: (document) => order.push(document),
    forget,
  });

  function onUser(op: string, place: number): number {
    const user = users.get(place);
    if (op === 'sign up') {
      if (user !== undefined) return 400;
      users.set(place, { serial: ++serials, role: 'registereduser', active: true });
      return 201;
    }
    if (user === undefined) return 404;
    if (op === 'suspend') user.active = false;
    else if (op === 'activate') user.active = true;
    else {
      users.delete(place);
      groups.removeUser(user);
      forgetOf(user);
    }
    return 200;
  }

  /** Removes the documents of a user, with the children that go with them. */
  function forgetOf(user: User): void {
    const gone = new Set(order.filter(({ owner }) => owner === user));
    const inheritance = inheritanceOf('admin');
    for (const document of gone) {
      for (const child of inheritance.childrenOf(document)) {
        if (rules.parentRule(child.collection)?.onDelete === 'cascade') gone.add(child);
      }
    }
    forget((document) => gone.has(document));
  }

  function giveRole(place: number, role: string | number): number {
    const user = users.get(place);
    if (user === undefined) return 404;
    if (role === 'anonymous' || (typeof role === 'number' && !roles.has(role))) return 400;
    user.role = roleName(role);
    return 200;
  }

  function addRole(role: number): number {
    if (roles.has(role)) return 400;
    roles.add(role);
    return 201;
  }

  /** Moves users and grants of a role to another one; by default to `registereduser`, without the grants. */
  function moveRole(role: string, to: string | null): void {
    for (const user of users.values()) if (user.role === role) user.role = to ?? 'registereduser';
    for (const { given } of order) {
      const held = given.get(`role ${role}`);
      given.delete(`role ${role}`);
      if (held !== undefined && to !== null) given.set(`role ${to}`, held);
    }
    rules.moveRole(role, to);
  }

  function removeRole(role: number): number {
    if (!roles.delete(role)) return 404;
    moveRole(roleName(role), null);
    return 200;
  }

  function renameRole(role: number, to: number): number {
    if (!roles.has(role)) return 404;
    if (to === role) return 200;
    if (roles.has(to)) return 400;
    roles.delete(role);
    roles.add(to);
    moveRole(roleName(role), roleName(to));
    return 200;
  }

  function relate({ op, user, other }: PairStep): number {
    const isForced = op.startsWith('admin');
    const by = isForced ? users.get(user) : userOf(user);
    if (!by) return isForced ? 404 : 401;
    const to = users.get(other);
    return to === undefined ? 404 : social.apply(op, by.serial, to.serial);
  }
  const isAdmin = (caller: Caller) => caller === 'admin' || userOf(caller)?.role === 'administrator';

  /** Returns true if a user blocks, and is therefore hidden from, the caller. */
  function isHidden(caller: Caller, other: User): boolean {
    const viewer = userOf(caller);
    return !isAdmin(caller) && !!viewer && social.blocks(other.serial, viewer.serial);
  }

  /** Returns a document, and those that refer to it as their parent, directly or not. */
  function familyOf(document: ModelDocument, found = new Set<ModelDocument>()): ReadonlySet<ModelDocument> {
    found.add(document);
    const children = order.filter(({ link }) => link !== null && link === document.id);
    for (const child of children) if (!found.has(child)) familyOf(child, found);
    return found;
  }

  return {
    /** Applies a step. Returns the status of its response. */
    apply(step: Exclude<Step, FeedStep>): number {
      if (isGroupStep(step)) return groups.apply(step);
      if (isFollowStep(step)) {
        if (step.op !== 'policy') return relate(step);
        const user = userOf(step.user);
        return user ? social.choose(user.serial, step.policy) : 401;
      }
      switch (step.op) {
        case 'sign up':
        case 'remove user':
        case 'suspend':
        case 'activate':
          return onUser(step.op, step.user);
        case 'give role':
          return giveRole(step.user, step.role);
        case 'add role':
          return addRole(step.role);
        case 'remove role':
          return removeRole(step.role);
        case 'rename role':
          return renameRole(step.role, step.to);
        case 'followers read':
          followersRead = step.on;
          return 200;
        case 'set rules':
          return rules.set(step, (role) => typeof role === 'string' || roles.has(role));
        case 'remake collection':
          rules.forget(step.collection);
          forget(({ collection }) => collection === step.collection);
          return 201;
        default:
          return onDocument(step);
      }
    },
    /** Returns true if a caller can read a document, or could if they were not suspended. */
    couldRead(caller: Caller, document: ModelDocument): boolean {
      if (!order.includes(document)) return false;
      const user = typeof caller === 'number' ? users.get(caller) : undefined;
      if (user === undefined || user.active) return may(caller, 'read', document);
      user.active = true;
      const could = may(caller, 'read', document);
      user.active = false;
      return could;
    },
    familyOf,
    groupExists: groups.exists,
    documentAt: (place: number) => documents.get(place),
    canSignIn: (caller: Caller) => userOf(caller) !== undefined,
    /** Returns true if the caller is a user of the model who can sign in. */
    isUser: (caller: Caller) => !!userOf(caller),
    /** Returns the expected status of a profile request; `friend` is true if the section for followers is visible. */
    profile(caller: Caller, place: number): { readonly status: number; readonly friend: boolean } {
      const [user, viewer] = [users.get(place), userOf(caller)];
      if (viewer === undefined) return { status: 401, friend: false };
      if (user === undefined || isHidden(caller, user)) return { status: 404, friend: false };
      const isFriend = viewer !== null && (viewer === user || social.follows(viewer.serial, user.serial));
      return { status: 200, friend: isAdmin(caller) || isFriend };
    },
    /** Returns the users in a list of the caller, or of the user at the place `of`, in the order of their sign-up. */
    people(caller: Caller, list: string, of: number | null = null): number[] {
      const subject = of === null ? userOf(caller) : users.get(of);
      const isOpen = list === '/users' || (!!subject && !isHidden(caller, subject));
      return Array.from(users)
        .filter(([, user]) => isOpen && !isHidden(caller, user))
        .filter(([, user]) => list === '/users' || (!!subject && social.isListed(list, subject.serial, user.serial)))
        .sort(([, a], [, b]) => a.serial - b.serial)
        .map(([place]) => place);
    },
    /** Returns the status of reading a document. */
    readStatus(caller: Caller, place: number): number {
      if (userOf(caller) === undefined) return 401;
      const document = documents.get(place);
      if (document === undefined) return 404;
      return may(caller, 'read', document) ? 200 : 403;
    },
    /** Returns the documents of a collection that a caller may read, in the order of creation. */
    visible: (caller: Caller, collection: number): ModelDocument[] =>
      order.filter((document) => document.collection === collection && may(caller, 'read', document)),
  };
}
