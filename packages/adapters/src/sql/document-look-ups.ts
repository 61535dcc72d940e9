import type { DocumentLookUp, DocumentRecord, DocumentStore } from '@baobab/core';
import { hasMany, scopeParams } from './access-scope.ts';
import { readBounded } from './bounded.ts';
import { IS_FOLLOWER, JOINED, JOINS_IN_ORDER, LISTED, mayRead } from './document-statements.ts';
import type { SqlExecutor } from './executor.ts';
import { isThere } from './is-there.ts';
import { jsonRows } from './json-rows.ts';

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
function build(executor: SqlExecutor, { everything, followed, many, hasOpen }: Extent): string {
  const conditions = [mayRead(many)];
  if (followed) conditions.push(IS_FOLLOWER);
  if (hasOpen) conditions.push(`c.name_key in (select o.value from ${jsonRows(executor, '?9')} o)`);
  const id = executor.isLocal ? 'w.value' : 'cast(w.value as uuid)';
  return `select ${JOINED}, documents.position, w.place from ${jsonRows(executor, '?8')} w cross join documents ${JOINS_IN_ORDER}
    and ${isThere('c.name')} and documents.id = ${id}${everything ? '' : ` and (${conditions.join(' or ')})`}`;
}

/** Reads documents by their ids, like `DocumentStore.lookUp`, with their positions. */
export function createPositionedLookUps(executor: SqlExecutor) {
  const texts = new Map<string, string>();

  function textOf(extent: Extent): string {
    const key = `${extent.everything} ${extent.followed} ${extent.many} ${extent.hasOpen}`;
    const text = texts.get(key) ?? build(executor, extent);
    texts.set(key, text);
    return text;
  }

  return async ({ ids, scope, openCollections, maxBytes }: DocumentLookUp): Promise<PositionedDocument[]> => {
    const { everything, followed } = scope;
    const rows = await readBounded<PlacedRow>(executor, 'read', {
      text: textOf({ everything, followed, many: hasMany(scope), hasOpen: openCollections.length > 0 }),
      values: [null, null, ...scopeParams(scope), JSON.stringify(ids), JSON.stringify(openCollections)],
      columns: COLUMNS,
      order: 'place',
      rows: ids.length,
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
