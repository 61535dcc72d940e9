import { isFollowStep, type PairStep } from './follow-steps.ts';
import { createFollowOracle } from './oracle-follows.ts';
import { createGroupOracle, unseen } from './oracle-groups.ts';
import { createRulesOracle } from './oracle-rules.ts';
import {
  type Action,
  type Caller,
  type DocumentStep,
  type FeedStep,
  type Given,
  type Grantee,
  isGroupStep,
  type Step,
} from './steps.ts';

/**
 * A second, independent implementation of the access rules: plain data and plain rules, without the server's code,
 * indexes, bits or caches. It predicts the status of each step and the data visible to each caller afterwards.
 */

interface User {
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
  /** Grants by principal: `user 3`, `role editors` or `group 2`. */
  readonly given: Map<string, Set<Action>>;
}

const roleName = (role: string | number) => (typeof role === 'number' ? `own ${role}` : role);

export type Oracle = ReturnType<typeof createOracle>;

export function createOracle() {
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

  function may(caller: Caller, action: Action, document: ModelDocument): boolean {
    const user = userOf(caller);
    if (isPrivileged(caller)) return true;
    if (rules.allows(principalsOf(caller), action, document.collection)) return true;
    if (user && document.owner === user) return true;
    if (user && action === 'read' && followersRead && social.follows(user.serial, document.owner.serial)) return true;
    return principalsOf(caller).some((principal) => {
      const held = document.given.get(principal);
      return held !== undefined && (held.has(action) || held.has('all'));
    });
  }

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

  function create(step: DocumentStep & { readonly op: 'create' }, owner: User): number {
    if (!isPrivileged(step.by) && !rules.allows(principalsOf(step.by), 'create', step.collection)) return 403;
    const given = collect(step.allow, step.by);
    if (given === null) return 400;
    const document = { owner, collection: step.collection, id: '', n: step.n, given };
    documents.set(step.doc, document);
    order.push(document);
    return 200;
  }

  /** Callers with permission to share can revoke even from groups and users hidden from them, if these have a grant. */
  function revokeUnseen(step: DocumentStep & Given, document: ModelDocument | undefined): number {
    const held = document?.given.get(unseen(step.to, groups.principalAt, (place) => users.get(place)));
    if (document === undefined || held === undefined || held.size === 0) return 404;
    if (!may(step.by, 'all', document)) return 404;
    held.delete(step.action);
    return 200;
  }

  /** Replaces the grants of one principal by the result of `change`. */
  function change(step: DocumentStep & Given, document: ModelDocument | undefined, isGrant: boolean): number {
    const who = principal(step.to, step.by);
    if (who === null && !isGrant) return revokeUnseen(step, document);
    if (who === null || document === undefined) return 404;
    if (!may(step.by, 'all', document)) return 403;
    const held = document.given.get(who) ?? new Set<Action>();
    if (isGrant) document.given.set(who, held.add(step.action));
    else held.delete(step.action);
    return 200;
  }

  function replaceGrants(step: DocumentStep & { readonly op: 'acl' }, document: ModelDocument | undefined): number {
    const given = collect(step.allow, step.by);
    if (given === null) return 400;
    if (document === undefined) return 404;
    if (!may(step.by, 'all', document)) return 403;
    document.given.clear();
    for (const [who, actions] of given) document.given.set(who, actions);
    return 200;
  }

  function changeContent(step: DocumentStep, document: ModelDocument | undefined): number {
    if (document === undefined) return 404;
    if (!may(step.by, step.op === 'delete' ? 'delete' : 'update', document)) return 403;
    if ('n' in step) document.n = step.n;
    else forget((one) => one === document);
    return step.op === 'delete' ? 204 : 200;
  }

  function onDocument(step: DocumentStep): number {
    const user = userOf(step.by);
    if (step.by === 'anonymous' || user === undefined) return 401;
    const document = documents.get(step.doc);
    switch (step.op) {
      case 'create':
        return create(step, user ?? administrator);
      case 'grant':
      case 'revoke':
        return change(step, document, step.op === 'grant');
      case 'acl':
        return replaceGrants(step, document);
      default:
        return changeContent(step, document);
    }
  }

  const administrator: User = { serial: 0, role: 'administrator', active: true };

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
      forget(({ owner }) => owner === user);
    }
    return 200;
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
