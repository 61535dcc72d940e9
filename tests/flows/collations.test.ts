import { EVERYTHING, NOW, newDocument, newUser, uuid } from '@baobab/contracts/storage';
import {
  COLLATIONS,
  type DocumentRecord,
  documentResolver,
  type OrderKey,
  type Storage,
  sortValues,
} from '@baobab/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '../support/criteria.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';

/** Texts that languages sort differently, that look alike, or that are equivalent. */
const TRICKY = [
  ...[
    '',
    ' ',
    '_',
    '-',
    "'",
    '1',
    '10',
    '2',
    '½',
    '²',
    '€',
    '#a',
    '😀',
    '👍🏽',
    '\u{10FFFF}',
    '\uFFFD',
    '\u00AD',
    '\u200B',
  ],
  ...[
    'a',
    'A',
    'ä',
    'Ä',
    'a\u0308',
    'A\u0308',
    'á',
    'å',
    'Å',
    '\u212B',
    'aa',
    'Aa',
    'AA',
    'ae',
    'æ',
    'Æ',
    'ą',
    'ă',
    'â',
  ],
  ...[
    'a\u0323\u0300',
    'a\u0300\u0323',
    '\u0301',
    'c',
    'ç',
    'č',
    'ć',
    'ch',
    'CH',
    'Ch',
    'cz',
    'd',
    'ď',
    'đ',
    'dz',
    'dž',
    'ð',
  ],
  ...[
    'e',
    'é',
    'ě',
    'ë',
    'g',
    'gy',
    'ggy',
    'ğ',
    'h',
    'i',
    'I',
    'İ',
    'ı',
    'î',
    'j',
    'l',
    'ł',
    'll',
    'lj',
    'ly',
    'n',
    'ñ',
    'nj',
  ],
  ...[
    'ny',
    'o',
    'ö',
    'Ö',
    'ő',
    'ô',
    'ó',
    'ø',
    'Ø',
    'oe',
    'œ',
    'q',
    'r',
    'ř',
    'rr',
    's',
    'š',
    'ş',
    'ș',
    'ss',
    'ß',
    'ẞ',
    'sz',
  ],
  ...[
    't',
    'ț',
    'th',
    'þ',
    'u',
    'ü',
    'Ü',
    'ű',
    'ů',
    'v',
    'w',
    'x',
    'y',
    'ý',
    'z',
    'ž',
    'ź',
    'ż',
    'zs',
    'ﬁ',
    'fi',
    'Ａ',
    'α',
    'я',
  ],
  ...['cote', 'coté', 'côte', 'côté', 'Müller', 'Mueller', 'Muller', 'Straße', 'Strasse', 'résumé', 'Resume', 'resume'],
  ...[
    'co-op',
    'coop',
    'co op',
    'CO-OP',
    'a b',
    'a-b',
    'a_b',
    "a'b",
    'a\u2019b',
    'a\u00A0b',
    `${'ä'.repeat(256)}a`,
    `${'ä'.repeat(256)}b`,
  ],
];
const COLLECTION = 'words';
const ann = newUser('Ann');

const text = fc.oneof(
  fc.constantFrom(...TRICKY),
  fc.array(fc.constantFrom(...TRICKY), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('')),
);

describe('orders by the rules of a language', () => {
  let opened: (readonly [name: string, storage: TestStorage])[] = [];

  /** The same documents in every storage. */
  async function fill(storage: Storage, contents: readonly object[]): Promise<void> {
    await storage.users.add(ann);
    await storage.collections.add({ id: '01912345-6789-7abc-8def-0123456789ab', name: COLLECTION, created: NOW });
    for (const [i, content] of contents.entries()) {
      const id = uuid(NOW + i);
      await storage.documents.add(
        newDocument(ann.id, COLLECTION, { id, created: NOW + i, content: JSON.stringify(content) }),
      );
    }
  }

  beforeAll(async () => {
    opened = await Promise.all(Object.entries(STORAGES).map(async ([name, open]) => [name, await open()] as const));
    const random = fc.sample(text, { numRuns: 400, seed: 20_261_126 });
    const contents = [...TRICKY, ...random].map((title, n) => ({ title, n: n % 3 }));
    for (const [, { storage }] of opened)
      await fill(storage, [...contents, { title: 5 }, { title: null }, { title: [] }]);
  });
  afterAll(async () => {
    for (const [, storage] of opened) await storage.dispose();
  });

  const positionOf = (order: readonly OrderKey[], document: DocumentRecord) => ({
    keys: sortValues(order, documentResolver(document)),
    id: document.id,
  });

  async function titles(storage: Storage, order: readonly OrderKey[], size: number): Promise<readonly unknown[]> {
    const found: DocumentRecord[] = [];
    for (let more = true; more; ) {
      const last = found.at(-1);
      const after = last === undefined ? null : positionOf(order, last);
      const list = { collection: COLLECTION, scope: EVERYTHING, where: null, order, after, skip: 0, limit: size };
      const page = (await storage.documents.list(list)) ?? [];
      found.push(...page);
      more = page.length === size;
    }
    return found.map(({ content }) => JSON.parse(content).title);
  }

  it.each(COLLATIONS)('are the same in memory and on Postgres, page by page: %s', async (language) => {
    const orders = [`title collate '${language}'`, `n desc, title.toLowerCase() collate '${language}' desc`];
    for (const orderBy of orders) {
      const { order } = query({ orderBy });
      const all = [];
      for (const [name, { storage }] of opened) {
        if (name === 'sqlite') continue;
        const [whole, paged] = [await titles(storage, order, 5_000), await titles(storage, order, 97)];
        expect(paged).toEqual(whole);
        expect(whole).toHaveLength(TRICKY.length + 403);
        all.push(whole);
      }
      expect(all.length).toBeGreaterThan(0);
      for (const one of all) expect(one).toEqual(all[0]);
    }
  });

  it('are refused where they are not available, with those that are', async () => {
    const { order } = query({ orderBy: "title collate 'de'" });
    for (const [name, { storage }] of opened) {
      if (name !== 'sqlite') continue;
      await expect(titles(storage, order, 5)).rejects.toMatchObject({
        code: 'criteria.invalid',
        detail: expect.stringContaining('PostgreSQL'),
        input: 'orderBy',
      });
    }
    expect(() => query({ orderBy: "title collate 'xx'" })).toThrow(
      expect.objectContaining({ code: 'criteria.invalid' }),
    );
  });
});
