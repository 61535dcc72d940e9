import {
  type AccessScope,
  type DocumentRecord,
  documentResolver,
  groupPrincipal,
  parseQuery,
  type Query,
  RIGHTS,
  type Storage,
  sortValues,
} from '@baobab/core';
import { expect, it } from 'vitest';
import { accessScopeOfUser, addCollection, addUser, NOW, newDocument, uuid } from './fixtures.ts';
import { maintain } from './maintenance.ts';

const DOCUMENTS = 8_250;
/** One document in this many is readable. */
const SHARES = 8;
const AT_ONCE = 700;
/** An adapter may load all documents of callers who can read up to a thousand, and use other strategies above that. */
const BELOW = 990;
const ABOVE = 1_010;
const CHANGED = 20;
const LARGE_PAGE = 1_000;

interface Stored {
  readonly id: string;
  readonly author: string;
  readonly isGranted: boolean;
  readonly kind: number;
  readonly n: number;
}

/**
 * Returns the kind of a document. Kind 0: half of the unreadable documents. Kind 1: rare among the readable ones. Kind
 * 2: frequent among them.
 */
const kindOf = (at: number, isOfReader: boolean): number => {
  if (!isOfReader) return at % 2 === 0 ? 0 : 2;
  return at % 97 === 0 ? 1 : 2;
};

const query = (where: string | null, orderBy: string): Query =>
  parseQuery({ where, orderBy, fields: null, groupBy: null, params: [] }, NOW);

const byN = (a: Stored, b: Stored) => a.n - b.n;
const fromNewest = (a: Stored, b: Stored) => (a.id < b.id ? 1 : -1);

interface QueryCase {
  readonly query: Query;
  readonly holds: (document: Stored) => boolean;
  readonly compare: (a: Stored, b: Stored) => number;
}

const ASKED: readonly QueryCase[] = [
  { query: query(null, 'n'), holds: () => true, compare: byN },
  { query: query('kind = 0', '_creation_date desc'), holds: ({ kind }) => kind === 0, compare: fromNewest },
  { query: query('kind = 1', '_creation_date desc'), holds: ({ kind }) => kind === 1, compare: fromNewest },
  { query: query('kind = 2', '_creation_date desc'), holds: ({ kind }) => kind === 2, compare: fromNewest },
  { query: query('kind = 0', 'n'), holds: ({ kind }) => kind === 0, compare: byN },
  { query: query('kind = 2', 'n'), holds: ({ kind }) => kind === 2, compare: byN },
  { query: query('n >= 300', 'n'), holds: ({ n }) => n >= 300, compare: byN },
  { query: query('n >= 300', '_creation_date desc'), holds: ({ n }) => n >= 300, compare: fromNewest },
  { query: query('n < 9', '_creation_date desc'), holds: ({ n }) => n < 9, compare: fromNewest },
];

/**
 * Tests that callers with fewer and with more than a thousand readable documents see the same, although adapters treat
 * them differently.
 */
export function manyReadableContract(current: () => Storage): void {
  it('lists the same whether a caller may read a thousand documents or more, while they come and go', async () => {
    const collection = await addCollection(current(), 'books');
    const [others, below, above, member] = [
      (await addUser(current(), 'others')).id,
      (await addUser(current(), 'below')).id,
      (await addUser(current(), 'above')).id,
      (await addUser(current(), 'member')).id,
    ];
    const groups = Array.from({ length: 4 }, () => uuid());
    for (const id of groups) await current().groups.add({ id, name: 'Friends', created: NOW }, member);
    const [first = ''] = groups.map(groupPrincipal);
    let stored: readonly Stored[] = [];

    async function addAll(all: ReadonlyArray<readonly [string, boolean]>): Promise<void> {
      for (let begun = 0; begun < all.length; begun += AT_ONCE) {
        const begin = stored.length;
        const added = all.slice(begun, begun + AT_ONCE).map(([author, isGranted], i) => {
          const at = begin + i;
          const kind = kindOf(at, isGranted || author !== others);
          return { id: uuid(), author, isGranted, kind, n: (at * 1_009) % 100_003 };
        });
        await current().transaction(async ({ documents }) => {
          for (const { id, author, isGranted, kind, n } of added) {
            const grants = isGranted ? [{ principal: first, rights: RIGHTS.read }] : [];
            await documents.add(newDocument(author, collection, { id, grants, content: JSON.stringify({ kind, n }) }));
          }
        });
        stored = [...stored, ...added];
      }
    }

    async function removeSome(isOne: (document: Stored) => boolean): Promise<void> {
      const removed = new Set(stored.filter(isOne).slice(0, CHANGED));
      for (const { id, author } of removed) {
        expect(await current().documents.remove({ collection, id }, accessScopeOfUser(author))).not.toBe('missing');
      }
      stored = stored.filter((document) => !removed.has(document));
    }

    const authors = Array.from({ length: DOCUMENTS }, (_, at): readonly [string, boolean] => {
      const [turn, round] = [at % SHARES, Math.floor(at / SHARES)];
      if (turn === 0 && round < BELOW) return [below, false];
      if (turn === 1 && round < ABOVE) return [above, false];
      return [others, turn === 2 && round < ABOVE];
    });
    await addAll(authors);
    for (const paths of [[['kind']], [['n']], [['kind'], ['n']]] as const) {
      await current().indexes.declare({ collection, paths, name: uuid().replaceAll('-', '_') }, 16);
    }
    await current().indexes.reconcile();
    // An adapter may know the size of the collection only from folded totals.
    await maintain(current(), 1);

    const ofMember = accessScopeOfUser(member);
    const readers: ReadonlyArray<readonly [AccessScope, (document: Stored) => boolean]> = [
      [accessScopeOfUser(below), ({ author }) => author === below],
      [accessScopeOfUser(above), ({ author }) => author === above],
      [accessScopeOfUser(others), ({ author }) => author === others],
      [{ ...ofMember, principals: [...ofMember.principals, first] }, ({ isGranted }) => isGranted],
      [
        { ...ofMember, principals: [...ofMember.principals, ...groups.map(groupPrincipal)] },
        ({ isGranted }) => isGranted,
      ],
    ];
    const ids = (all: ReadonlyArray<Pick<DocumentRecord, 'id'>> | null) => all?.map(({ id }) => id);

    async function ask(): Promise<void> {
      for (const [scope, isReadable] of readers) {
        for (const { query: asked, holds, compare } of ASKED) {
          const { where, order } = asked;
          const expected = stored.filter((one) => isReadable(one) && holds(one)).sort(compare);
          const list = { collection, scope, where, order, after: null, skip: 0 };
          const page = await current().documents.list({ ...list, limit: 20 });
          expect(ids(page)).toEqual(ids(expected.slice(0, 20)));
          const large = await current().documents.list({ ...list, limit: LARGE_PAGE });
          expect(ids(large)).toEqual(ids(expected.slice(0, LARGE_PAGE)));
          const skipped = await current().documents.list({ ...list, skip: 30, limit: 20 });
          expect(ids(skipped)).toEqual(ids(expected.slice(30, 50)));
          expect(await current().documents.count(collection, scope, where)).toBe(expected.length);
          const last = page?.at(-1);
          if (last === undefined) continue;
          const after = { keys: sortValues(order, documentResolver(last)), id: last.id };
          expect(ids(await current().documents.list({ ...list, after, limit: 20 }))).toEqual(
            ids(expected.slice(20, 40)),
          );
        }
      }
    }

    await ask();
    await removeSome(({ author }) => author === above);
    await removeSome(({ isGranted }) => isGranted);
    await addAll(Array.from({ length: CHANGED }, () => [below, false] as const));
    await ask();
    await addAll(Array.from({ length: CHANGED }, () => [above, false] as const));
    await addAll(Array.from({ length: 2 * CHANGED }, () => [others, true] as const));
    await removeSome(({ author }) => author === below);
    await ask();
  });
}
