/** Values of about a megabyte of JSON whose parts are as many, or as costly, as possible. */

const BYTES = 1_000_000;
const filled = <T>(of: (n: number) => T): T[] => {
  const size = JSON.stringify(of(12_345)).length + 1;
  return Array.from({ length: Math.floor(BYTES / size) }, (_, n) => of(10_000 + n));
};

export const numbers = Array.from({ length: BYTES / 2 }, () => 1);
export const texts = filled((n) => `a${n}`);
export const objects = filled((n) => ({ b: n % 10, a: n % 7 }));
export const emptyObjects = filled(() => ({}));
export const members = Object.fromEntries(filled((n) => [`a${n}`, 1] as const).map(([name, one]) => [name, one]));
/** Names that JavaScript would reorder. */
export const indexNames = filled((n) => ({ [n % 10]: 1 }));
export const longText = 'ab '.repeat(BYTES / 3);
export const words = Array.from({ length: BYTES / 10 }, (_, n) => `word${n % 10_000}`).join(' ');

/** The value with spaces, so that its text is not canonical. */
export const spaced = (value: unknown) => JSON.stringify(value).replaceAll(',', ', ');

/** The first elements of a list, about a part of a megabyte. */
export const part = <T>(list: readonly T[], share: number): T[] => list.slice(0, Math.floor(list.length * share));
