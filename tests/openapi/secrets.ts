import { createNodeSecrets } from '@baobab/adapters/system';
import type { Secrets } from '@baobab/core';

const ID_LENGTH = 22;
const CURSOR_LENGTH = 96;

const FIRST_LETTER = 66;

/** A number in letters of Base32. */
const letters = (count: number) =>
  String(count).replaceAll(/\d/g, (digit) => String.fromCharCode(FIRST_LETTER + Number(digit)));

/** Ids and tokens that are the same in every run, for examples. */
export function createCountingSecrets(): Secrets {
  let count = 0;
  const sealed = new Map<string, string>();
  const concealed = new Map<string, string>();
  const next = () => ++count;
  return {
    ...createNodeSecrets('the key of the examples'),
    uuid: (now) => {
      const time = now.toString(16).padStart(12, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${next().toString(16).padStart(12, '0')}`;
    },
    encrypt: (text) => {
      const name = `sealed${next()}-`.padEnd(ID_LENGTH * 2, 'A');
      sealed.set(name, text);
      return name;
    },
    conceal: (text) => {
      const name = concealed.get(text) ?? `cursor${concealed.size + 1}-`.padEnd(CURSOR_LENGTH, 'A');
      concealed.set(text, name);
      return name;
    },
    reveal: (name) => Array.from(concealed).find(([, one]) => one === name)?.[0] ?? null,
    decrypt: (name) => sealed.get(name) ?? null,
    digits: (length) => '123456'.padEnd(length, '0').slice(0, length),
    base32: (length) => `EXAMPLE${letters(next())}`.padEnd(length, 'A'),
    token: () => `example${next()}-`.padEnd(ID_LENGTH, 'A'),
  };
}
