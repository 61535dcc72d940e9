import type { ModelDocument } from './oracle.ts';
import type { createRulesOracle, RuledCaller } from './oracle-rules.ts';
import type { Action, ParentItem } from './steps.ts';

/** Maximum number of ancestors from which a document inherits. */
const ANCESTORS = 3;

export interface InheritanceDeps {
  readonly rules: ReturnType<typeof createRulesOracle>;
  /** All documents. */
  documents(): readonly ModelDocument[];
  /** Returns true if the caller has a right by ownership, grants or follows. */
  hasPlain(action: Action, document: ModelDocument): boolean;
}

export type Inheritance = ReturnType<typeof createInheritance>;

/** Permissions through parents, in the oracle. */
export function createInheritance({ rules, documents, hasPlain }: InheritanceDeps) {
  const isParentOf = (rule: ParentItem, child: ModelDocument, parent: ModelDocument) =>
    child.link !== null && child.link === parent.id && (!rule.named || parent.collection !== child.collection);

  function parentOf(document: ModelDocument): ModelDocument | null {
    const rule = rules.parentRule(document.collection);
    if (rule === null) return null;
    return documents().find((one) => isParentOf(rule, document, one)) ?? null;
  }

  function may(caller: RuledCaller, action: Action, document: ModelDocument, below: readonly number[] = []): boolean {
    if (hasPlain(action, document) || rules.allows(caller, action, document.collection, document)) return true;
    const need = action === 'all' ? null : (rules.parentRule(document.collection)?.needs[action] ?? null);
    const path = [...below, document.collection];
    const parent = need === null || path.length > ANCESTORS ? null : parentOf(document);
    return parent !== null && need !== null && !path.includes(parent.collection) && may(caller, need, parent, path);
  }

  /** Returns true if an ancestor is in the collection of the document or of another ancestor. */
  function hasCycle(document: ModelDocument): boolean {
    const path = [document.collection];
    for (let next = parentOf(document); next !== null; next = parentOf(next)) {
      if (path.includes(next.collection) || path.length > ANCESTORS) return true;
      path.push(next.collection);
    }
    return false;
  }

  const childrenOf = (document: ModelDocument) =>
    documents().filter((child) => {
      const rule = rules.parentRule(child.collection);
      return rule !== null && child.collection !== document.collection && isParentOf(rule, child, document);
    });

  return {
    may,
    childrenOf,
    /** Returns the status for a document that is created or moved: 200 if its parent allows it. */
    placement(caller: RuledCaller, document: ModelDocument): number {
      const need = rules.parentRule(document.collection)?.needs.create ?? null;
      if (need === null) return 200;
      const parent = parentOf(document);
      if (parent === null || !may(caller, 'read', parent)) return 400;
      if (!may(caller, need, parent)) return 403;
      return hasCycle(document) ? 400 : 200;
    },
    /** Returns the documents that go with one; null if a child forbids its removal. */
    removedWith(document: ModelDocument, found = new Set<ModelDocument>()): Set<ModelDocument> | null {
      found.add(document);
      for (const child of childrenOf(document)) {
        const onDelete = rules.parentRule(child.collection)?.onDelete;
        if (onDelete === 'restrict') return null;
        if (onDelete !== 'cascade' || found.has(child)) continue;
        if (this.removedWith(child, found) === null) return null;
      }
      return found;
    },
  };
}
