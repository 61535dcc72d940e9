import type { AccessScope, DocumentLookUp, DocumentRecord, DocumentStore } from '@baobab/core';
import { createParams, FALSE } from '../criteria/dialect.ts';
import { createRuledAccess } from '../criteria/ruled-access.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { idIn, isThere, jsonRows } from '../statements/fragments.ts';
import { readBounded } from '../statements/pages.ts';
import { byOptions, type KeyOf, type Statement, withKeys } from '../statements/statement.ts';
import { hasMany, scopeParams } from './access-scope.ts';
import { IS_FOLLOWER, JOINED, JOINS_IN_ORDER, LISTED, mayRead } from './document-statements.ts';

interface Extent {
  readonly everything: boolean;
  readonly followed: boolean;
  /** True if the caller has many principals. */
  readonly many: boolean;
  /** True if there are collections whose documents are all readable. */
  readonly hasOpen: boolean;
}

/** A document with its position in the change feed. */
export interface PositionedDocument extends DocumentRecord {
  readonly position: number;
}

interface PlacedRow extends PositionedDocument {
  /** Index in the list of ids. */
  readonly place: number;
}

const COLUMNS = { ...LISTED, names: [...LISTED.names, 'position', 'place'] };

/** Parameters are those of `document-statements.ts`; ?8 ids, ?9 keys of open collections, both as JSON arrays. */
function build(executor: SqlExecutor, { everything, followed, many, hasOpen }: Extent, ruled: string): Statement {
  const isOpen = (key: KeyOf) => `${key('c.name_key')} in (select o.value from ${jsonRows(executor, '?9')} o)`;
  const conditions = (key: KeyOf) => [
    mayRead(many),
    ruled,
    ...(followed ? [IS_FOLLOWER] : []),
    ...(hasOpen ? [isOpen(key)] : []),
  ];
  return withKeys(
    (
      key,
    ) => `select ${JOINED}, documents.position, w.place from ${jsonRows(executor, '?8')} w cross join documents ${JOINS_IN_ORDER}
    and ${isThere('c.name')} and documents.id = ${idIn(executor, 'w.value')}${everything ? '' : ` and (${conditions(key).join(' or ')})`}`,
  );
}

/** Reads documents by their ids, like `DocumentStore.lookUp`, with their positions. */
export function createPositionedLookUps(executor: SqlExecutor) {
  const textOf = byOptions((extent: Extent) => build(executor, extent, FALSE));

  /** Returns the statement for a caller with permissions that depend on the document, with its additional values. */
  function underRules(
    extent: Extent,
    scope: AccessScope,
    values: readonly SqlValue[],
  ): { text: Statement; values: readonly SqlValue[] } {
    const { criteria } = executor;
    const params = createParams(criteria.typed, values);
    const access = createRuledAccess({ dialect: criteria, params }, scope);
    const ruled = access.readAnywhere('documents', criteria.json('documents.content'));
    return { text: build(executor, extent, ruled), values: params.values };
  }

  return async ({ ids, scope, openCollections, maxBytes }: DocumentLookUp): Promise<PositionedDocument[]> => {
    const { everything, followed, rules } = scope;
    const extent = { everything, followed, many: hasMany(scope), hasOpen: openCollections.length > 0 };
    const plain = [null, null, ...scopeParams(scope), JSON.stringify(ids), JSON.stringify(openCollections)];
    if (rules !== undefined) await executor.criteria.prepare(executor);
    const { text, values } =
      rules === undefined ? { text: textOf(extent), values: plain } : underRules(extent, scope, plain);
    const rows = await readBounded<PlacedRow>(executor, 'read', {
      text,
      values,
      columns: COLUMNS,
      order: 'place',
      maxBytes,
    });
    return rows.toSorted((a, b) => a.place - b.place).map(({ place: _place, ...document }) => document);
  };
}

/** Creates the method of a document store that reads documents by their ids. */
export function createDocumentLookUps(executor: SqlExecutor): Pick<DocumentStore, 'lookUp'> {
  const lookUp = createPositionedLookUps(executor);
  return {
    async lookUp(wanted) {
      return (await lookUp(wanted)).map(({ position: _position, ...document }) => document);
    },
  };
}
