import { createScore, MAX_SEARCH_WORDS, MAX_WORDS, parseSearchText, type SearchIndex, storedWords } from '@baobab/core';
import { describe, expect, it } from 'vitest';

const INDEX: SearchIndex = { number: 7, fields: [{ path: ['text'], weight: 1 }] };
const words = (text: unknown) =>
  storedWords(INDEX, JSON.stringify({ text }))
    .split(/[()]+/)
    .filter((word) => word.startsWith('7a'))
    .map((word) => word.slice(2));

const resolve = (content: Readonly<Record<string, unknown>>) => (name: string) => content[name] as never;
const score = (text: string, content: Readonly<Record<string, unknown>>, index = INDEX) =>
  createScore({ index, text: parseSearchText(text) })(resolve(content));

describe('words of a text', () => {
  it('are folded by case, diacritics, width and ligatures', () => {
    expect(words('Crème BRÛLÉE')).toEqual(['creme', 'brulee']);
    expect(words('e\u0301 é É')).toEqual(['e', 'e', 'e']);
    expect(words('Straße STRASSE ẞ')).toEqual(['strasse', 'strasse', 'ss']);
    expect(words('İstanbul ISTANBUL ıstanbul')).toEqual(['istanbul', 'istanbul', 'istanbul']);
    expect(words('ΟΔΟΣ οδός Οδοσ')).toEqual(['οδοσ', 'οδοσ', 'οδοσ']);
    expect(words('ﬁne ＡＢＣ ① ½')).toEqual(['fine', 'abc', '1', '1', '2']);
    expect(words('Ёлка ёлка')).toEqual(['елка', 'елка']);
    expect(words('שָׁלוֹם مُحَمَّد')).toEqual(['שלום', 'محمد']);
  });

  it('keep the marks that distinguish words in other scripts', () => {
    expect(words('हिन्दी')).toEqual(['हिन्दी']);
    expect(words('が か')).toEqual(['が', 'か']);
    expect(words('한국어 (\u1112\u1161\u11ab)')).toEqual(['한국어', '한']);
  });

  it('are single characters in scripts without spaces', () => {
    expect(words('東京都')).toEqual(['東', '京', '都']);
    expect(words('ミルクとmilk')).toEqual(['ミ', 'ル', 'ク', 'と', 'milk']);
    expect(words('ｶﾞ')).toEqual(['ガ']);
  });

  it('contain no separators, whatever the text', () => {
    const hostile =
      'a(7a)b "x" \'y\' -z* OR AND NOT NEAR(\\ \0 \ud800 \u202e\u200d & | ! <-> :* {}[]^~%_$@#😀 a_b don’t';
    const found = words(hostile);
    expect(found).toEqual([...['a', '7a', 'b', 'x', 'y', 'z', 'or', 'and', 'not', 'near', 'a', 'b', 'don', 't']]);
    expect(words('x'.repeat(130))).toEqual(['x'.repeat(64), 'x'.repeat(64), 'xx']);
  });

  it('come from texts and arrays of texts only, up to a limit', () => {
    expect(words(['one', 2, null, ['three'], 'four'])).toEqual(['one', 'four']);
    expect([words(5), words(null), words({ a: 'b' })]).toEqual([[], [], []]);
    expect(words('a '.repeat(MAX_WORDS + 5))).toHaveLength(MAX_WORDS);
    expect(words('x'.repeat(400_000)).join('').length).toBeLessThanOrEqual(250_000);
  });
});

describe('a search', () => {
  it('consists of words, prefixes, phrases and exclusions', () => {
    expect(parseSearchText('milk Bread* -butter "exact phrase" -"not this" "no spa"*')).toEqual({
      terms: [
        { words: ['milk'], isPrefix: false },
        { words: ['bread'], isPrefix: true },
        { words: ['exact', 'phrase'], isPrefix: false },
        { words: ['no', 'spa'], isPrefix: true },
      ],
      excluded: [
        { words: ['butter'], isPrefix: false },
        { words: ['not', 'this'], isPrefix: false },
      ],
    });
  });

  it('closes a quote that is still open, and reads operators of databases as words', () => {
    expect(parseSearchText('milk "brown bre').terms).toEqual([
      { words: ['milk'], isPrefix: false },
      { words: ['brown', 'bre'], isPrefix: false },
    ]);
    expect(parseSearchText('a AND (b OR c) NEAR').terms.map(({ words: found }) => found.join())).toEqual([
      ...['a', 'and', 'b', 'or', 'c', 'near'],
    ]);
    expect(parseSearchText("don't 東京").terms.map(({ words: found }) => found)).toEqual([
      ['don', 't'],
      ['東', '京'],
    ]);
  });

  it.each(['', ' ', '!!!', '-butter', '""', '-', '"', '*', `${'a '.repeat(MAX_SEARCH_WORDS + 1)}`, 'x'.repeat(1_001)])(
    'is refused if it finds nothing or is too long: %j',
    (text) => {
      expect(() => parseSearchText(text)).toThrow(expect.objectContaining({ code: 'search.invalid' }));
    },
  );

  it('does not extend phrases over fields or elements', () => {
    const index: SearchIndex = {
      number: 1,
      fields: [
        { path: ['a'], weight: 1 },
        { path: ['b'], weight: 1 },
      ],
    };
    expect(score('"milk bread"', { a: 'milk', b: 'bread' }, index)).toBeNull();
    expect(score('"milk bread"', { a: ['milk', 'bread'] }, index)).toBeNull();
    expect(score('"milk bread"', { a: 'milk bread' }, index)).toBe(1);
    expect(score('milk bread', { a: 'milk', b: 'bread bread' }, index)).toBe(3);
  });

  it('counts hits without overlaps', () => {
    expect(score('"a a"', { text: 'a a a' })).toBe(1);
    expect(score('a', { text: 'a a a' })).toBe(3);
    expect(score('a*', { text: 'a ab abc b' })).toBe(3);
    expect(score('a -b', { text: 'a b' })).toBeNull();
  });
});
