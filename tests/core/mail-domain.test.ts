import { domainToASCII } from 'node:url';
import { expect, it } from 'vitest';
import { domainKey } from '../../packages/core/src/names/mail-domain.ts';

/**
 * Every assigned character, except those of two large blocks without mappings, and marks of Unicode 17, which not every
 * Node knows in each of its parts.
 */
const CHARACTERS = Array.from({ length: 0x11_0000 }, (_, point) => point)
  .filter((point) => point > 0x7f && (point < 0xd800 || point > 0xdfff))
  .map((point) => String.fromCodePoint(point))
  .filter((character) => !/\p{Cn}|\p{Co}|[\u1acf-\u1aff]|\p{Unified_Ideograph}|[\uac00-\ud7a3]/u.test(character));

/** Domains that have another key than the URL Standard's form of them, or whose key is another domain. */
const wrong = (domains: readonly string[]) =>
  domains.filter((domain) => {
    const ascii = domainToASCII(domain);
    const key = domainKey(domain);
    return domainToASCII(key) !== ascii || (ascii !== '' && domainKey(ascii) !== key);
  });

it('has one key for each domain of the URL Standard, with every character', () => {
  expect(CHARACTERS.length).toBeGreaterThan(40_000);
  expect(wrong(CHARACTERS.map((character) => `a${character}b.example`))).toEqual([]);
});

it('has one key for each domain of the URL Standard, with several characters', () => {
  const older = CHARACTERS.filter(({ length }) => length === 1);
  const at = (n: number) => older[n % older.length] ?? '';
  const domains = Array.from({ length: 40_000 }, (_, i) => `${at(i)}${at(i * 31)}x${at(i * 977)}.${at(i * 7919)}`);
  expect(wrong(domains)).toEqual([]);
  expect(domains.filter((domain) => domainToASCII(domain).includes('xn--')).length).toBeGreaterThan(1_000);
});

it.each(['xn--', 'xn--abc-', 'xn--bcher-KVA', 'xn--BCHER-kva', 'xn--99999999999999999', 'xn--\u00fc', 'xn--!'])(
  'takes the label %j for what it is',
  (label) => {
    expect(domainToASCII(`${label}.example`)).toBe(domainToASCII(domainKey(`${label}.example`)));
  },
);

it('leaves a label encoded that is not the encoding of a valid one', () => {
  // Encodings with a capital letter, and with a combining mark.
  for (const label of ['xn--bcher-2pa', 'xn--bucher-xyd']) expect(domainKey(label)).toBe(label);
  expect(domainKey('xn--bcher-kva')).toBe('bücher');
});
