import { COLLATIONS, createComparator, type JsonObject, type OrderKey, sortValues } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventParser } from '../../packages/client/src/live/events.ts';
import { comparatorOf } from '../../packages/client/src/live/order.ts';
import { changeBetween, createWindow } from '../../packages/client/src/live/window.ts';
import { orderText } from '../../packages/client/src/query/order.ts';
import type { Collation } from '../../packages/client/src/query/types.ts';
import type { DocumentFields } from '../../packages/client/src/wire.ts';
import { query } from '../support/criteria.ts';

const STREAM = [
  'retry: 1500\n\n',
  ':\n\n',
  'id: c1\nevent: put\ndata: {"a":"ж 😀"}\n\n',
  'event: end\ndata:{}\n\n',
  ':\nid: c2\n\n',
  'data: one\ndata:  two\ndata\n\n',
  'event: put\r\ndata: x\r\n\r\n',
  'unknown: y\ndata: z\n\n',
].join('');

const EVENTS = [
  { type: 'put', data: '{"a":"ж 😀"}' },
  { type: 'end', data: '{}' },
  { type: 'message', data: 'one\n two\n' },
  { type: 'put', data: 'x' },
  { type: 'message', data: 'z' },
];

describe('the parser of server-sent events', () => {
  it('finds the same events however the bytes are cut', () => {
    const bytes = new TextEncoder().encode(STREAM);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const parser = createEventParser();
        const decoder = new TextDecoder();
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const events = places.flatMap((from, at) =>
          parser.take(decoder.decode(bytes.subarray(from, places[at + 1] ?? from), { stream: true })),
        );
        expect(events).toEqual(EVENTS);
        expect(parser.lastId()).toBe('c2');
      }),
    );
  });

  it('does not count an event that has not ended, nor its id', () => {
    const parser = createEventParser();
    expect([parser.take('id: c1\nevent: put\ndata: {}\n'), parser.lastId()]).toEqual([[], null]);
    expect([parser.take('\n').length, parser.lastId()]).toEqual([1, 'c1']);
  });

  it('takes lines that end in a carriage return, and a mark of the byte order', () => {
    expect(createEventParser().take('\uFEFFdata: a\r\rdata: b\r\r\n')).toEqual([
      { type: 'message', data: 'a' },
      { type: 'message', data: 'b' },
    ]);
  });

  it('keeps a limited number of characters', () => {
    const endless = createEventParser(100);
    expect(() => {
      for (let at = 0; at < 20; at++) endless.take('x'.repeat(10));
    }).toThrow(/too large/);
    const long = createEventParser(100);
    expect(() => {
      for (let at = 0; at < 20; at++) long.take(`data: ${'x'.repeat(10)}\n`);
    }).toThrow(/too large/);
  });
});

const row = (id: string, members: object = {}, version = 1) =>
  ({ id, '@version': version, _author: 'ann', ...members }) as DocumentFields;
const idsOf = (rows: readonly DocumentFields[]) => rows.map(({ id }) => id).join(' ');

describe('the order of live rows', () => {
  const sorted = (rows: DocumentFields[], ...orderBy: string[]) => idsOf(rows.toSorted(comparatorOf(orderBy)));

  it('is that of the service', () => {
    const values = [[], 'b', 2, true, undefined, '😀', '\uFFFF', 'a', -1, false, null];
    const rows = values.map((value, at) => row('abcdefghijk'[at] ?? '', { value }));
    expect(sorted(rows, '`value` asc')).toBe('e k j d i c h b g f a');
    expect(sorted(rows, '`value` desc')).toBe('a f g b h c i d j e k');
  });

  it('follows paths, and breaks ties by the id', () => {
    const rows = [row('a', { by: { n: [1, 2] } }), row('b', { by: { n: [1, 1] } }), row('c', { by: [] }), row('d')];
    expect(sorted(rows, '`by`.`n`[1] asc')).toBe('c d b a');
    expect(sorted(rows, '`by`.`n`[0] desc', '`by`.`n`[1] asc')).toBe('b a c d');
    expect(sorted(rows, '`constructor` asc')).toBe('a b c d');
  });

  it('is that of the service in lower case and by the rules of a language', () => {
    const languages: readonly Collation[] = COLLATIONS;
    const texts = [
      'b',
      'B',
      'a',
      'ä',
      'a\u0308',
      'Ä',
      'z',
      'å',
      'ch',
      'cz',
      'h',
      "a'b",
      'a\u2019b',
      'Ω',
      'ß',
      'ss',
      'é',
      'É',
    ];
    const values = [...texts, `${'É'.repeat(256)}b`, `${'É'.repeat(256)}a`, 5, true, null, []];
    const rows = values.map((value, at) => row(String(at).padStart(2, '0'), { value }));
    const position = (one: DocumentFields, order: readonly OrderKey[]) => ({
      id: one.id,
      keys: sortValues(order, (name) => (one as unknown as JsonObject)[name]),
    });
    const options = [undefined, ...languages].flatMap((collate) => (collate === undefined ? [{}] : [{ collate }]));
    for (const path of ['value', 'value.toLowerCase()']) {
      for (const option of options) {
        const text = orderText(path, 'desc', option);
        const { order } = query({ orderBy: text });
        const compare = createComparator(order);
        const expected = rows.toSorted((a, b) => compare(position(a, order), position(b, order)));
        expect({ [text]: sorted(rows, text) }).toEqual({ [text]: idsOf(expected) });
      }
    }
  });

  it('compares the beginning of texts, and times of creation by the id', () => {
    const long = '😀'.repeat(256);
    expect(sorted([row('b', { t: `${long}a` }), row('a', { t: `${long}b` })], '`t` asc')).toBe('a b');
    const same = { _creation_date: '2026-01-01T00:00:00.000+0000' };
    expect(sorted([row('a', same), row('b', same)], '`_creation_date` desc')).toBe('b a');
  });
});

describe('the rows of a live query', () => {
  const compare = comparatorOf(['`n` asc']);

  it('are the newest state, however often and late it comes', () => {
    const window = createWindow(compare);
    window.load([row('a', { n: 1 }, 3)], false);
    const [before] = window.rows();
    for (const version of [2, 3, 1]) window.put(row('a', { n: 9 }, version));
    expect(window.rows()[0]).toBe(before);
    window.put(row('a', { n: 2 }, 4));
    window.put(row('a', { n: 0 }, 3));
    expect(window.rows()).toEqual([row('a', { n: 2 }, 4)]);
    window.put({ ...row('a', { n: 2 }, 4), _author: 'anna' });
    expect(window.rows()[0]?._author).toBe('anna');
    window.gone('a');
    window.gone('a');
    expect(window.rows()).toEqual([]);
  });

  it('stay the same objects when they are listed again', () => {
    const window = createWindow(compare);
    window.load([row('a'), row('b')], false);
    const before = window.rows();
    window.load([row('a'), row('b', {}, 2)], false);
    const rows = window.rows();
    expect([rows[0] === before[0], rows[1] === before[1]]).toEqual([true, false]);
    expect(changeBetween(before, rows)).toEqual({ added: [], updated: [row('b', {}, 2)], removed: [] });
    expect(changeBetween(rows, window.rows())).toBeNull();
  });

  it('are never rows after those that are not known', () => {
    const window = createWindow(compare, 2);
    const listed = Array.from({ length: window.wanted }, (_, n) => row(`id${n}`, { n }));
    window.load(listed, true);
    // There may be others between the last one that was listed and this one.
    window.put(row('far', { n: 1_000 }));
    for (const { id } of listed.slice(0, -1)) window.gone(id);
    expect([idsOf(window.rows()), window.isShort()]).toEqual([`id${window.wanted - 1}`, true]);
    // One that moves behind them leaves.
    window.put(row(`id${window.wanted - 1}`, { n: 1_000 }, 2));
    expect(window.rows()).toEqual([]);
    window.load([row('far', { n: 1_000 })], false);
    expect([idsOf(window.rows()), window.isShort()]).toEqual(['far', false]);
  });

  it('are kept in limited number', () => {
    const window = createWindow(compare, 2);
    window.load([], false);
    for (let n = 500; n > 0; n--) {
      window.put(row(`id${n}`, { n }));
      window.rows();
    }
    for (let n = 1; n < 100; n++) window.gone(`id${n}`);
    expect(window.isShort()).toBe(true);
  });
});
