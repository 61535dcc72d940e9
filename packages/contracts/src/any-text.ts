import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10ffff - SURROGATES;

function placeOf(char: unknown): number {
  const point = typeof char === 'string' ? char.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== char) throw new Error('not one character');
  if (point < FIRST_SURROGATE) return point;
  if (point < FIRST_SURROGATE + SURROGATES) throw new Error('a surrogate');
  return point - SURROGATES;
}

/**
 * The characters of `fc.string({ unit: 'binary' })`, with the same texts for a seed. Avoids a table of a million
 * entries, which takes each process half a second to fill and 86 MB of memory.
 */
const character = fc
  .nat(LAST)
  .map((place) => String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES), placeOf);

/** Generates texts of arbitrary characters. */
export const anyText = (constraints: Pick<fc.StringConstraints, 'maxLength'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character });
