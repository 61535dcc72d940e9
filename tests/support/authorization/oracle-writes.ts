import type { ModelDocument, User } from './oracle.ts';
import { type createGroupOracle, unseen } from './oracle-groups.ts';
import type { Inheritance } from './oracle-inheritance.ts';
import type { createRulesOracle, RuledCaller, RuledContent } from './oracle-rules.ts';
import type { Action, Caller, DocumentStep, Given, Grantee, Links } from './steps.ts';

export interface WritesDeps {
  readonly rules: ReturnType<typeof createRulesOracle>;
  readonly groups: Pick<ReturnType<typeof createGroupOracle<User>>, 'principalAt'>;
  /** Documents by number. */
  readonly documents: Map<number, ModelDocument>;
  userOf(caller: Caller): User | null | undefined;
  userAt(place: number): User | undefined;
  isPrivileged(caller: Caller): boolean;
  asRuled(caller: Caller): RuledCaller;
  inheritanceOf(caller: Caller): Inheritance;
  may(caller: Caller, action: Action, document: ModelDocument): boolean;
  principal(grantee: Grantee, by: Caller): string | null;
  collect(allow: readonly Given[], by: Caller): Map<string, Set<Action>> | null;
  idOf(place: number): string;
  add(document: ModelDocument): void;
  forget(gone: (document: ModelDocument) => boolean): void;
}

const administrator: User = { serial: 0, role: 'administrator', active: true };

function kindOf(before: ModelDocument | null, after: ModelDocument | null): 'create' | 'update' | 'delete' {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
}

/** Creates a function that applies a step on a document in the oracle, and returns the status of its response. */
export function createWritesOracle(deps: WritesDeps) {
  const { rules, groups, documents, userOf, userAt, isPrivileged, asRuled } = deps;
  const { inheritanceOf, may, principal, collect, idOf, add, forget } = deps;

  /** Returns 200 if rules allow a new state of a document; administrators are exempt. */
  function ruled(caller: Caller, before: ModelDocument | null, after: ModelDocument | null): number {
    if (isPrivileged(caller)) return 200;
    if (after !== null && before?.link !== after.link) {
      const placed = inheritanceOf(caller).placement(asRuled(caller), after);
      if (placed !== 200) return placed;
    }
    const collection = (after ?? before)?.collection ?? 0;
    return rules.satisfies(asRuled(caller), kindOf(before, after), collection, { before, after }) ? 200 : 403;
  }

  function create(step: DocumentStep & { readonly op: 'create' }, owner: User): number {
    const isAllowed = (content: RuledContent | null) =>
      isPrivileged(step.by) || rules.allows(asRuled(step.by), 'create', step.collection, content);
    if (!isAllowed(null)) return 403;
    const given = collect(step.allow, step.by);
    if (given === null) return 400;
    const document = { owner, collection: step.collection, id: '', n: step.n, ...linksOf(step), given };
    if (!isAllowed(document)) return 403;
    const status = ruled(step.by, null, document);
    if (status !== 200) return status;
    documents.set(step.doc, document);
    add(document);
    return 200;
  }

  /** Callers with permission to share can revoke even from groups and users hidden from them, if these have a grant. */
  function revokeUnseen(step: DocumentStep & Given, document: ModelDocument | undefined): number {
    const held = document?.given.get(unseen(step.to, groups.principalAt, userAt));
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
    if (step.op === 'delete') return remove(step.by, document);
    const after = contentAfter(step, document);
    const status = ruled(step.by, document, after);
    if (status === 200) Object.assign(document, after);
    return status;
  }

  function remove(by: Caller, document: ModelDocument): number {
    const status = ruled(by, document, null);
    if (status !== 200) return status;
    const removed = inheritanceOf(by).removedWith(document);
    if (removed === null) return 409;
    forget((one) => removed.has(one));
    return 204;
  }

  function contentAfter(step: DocumentStep, document: ModelDocument): ModelDocument {
    if (step.op === 'move') return { ...document, link: idOf(step.in) };
    if (step.op === 'replace') return { ...document, n: step.n, ...linksOf(step) };
    return step.op === 'set n' ? { ...document, n: step.n } : document;
  }

  const linksOf = ({ in: parent, friend }: Links) => ({ link: parent === null ? null : idOf(parent), friend });

  return (step: DocumentStep): number => {
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
  };
}
