import { CONFUSABLES } from './confusables.ts';

const BASE = 36;
/** Maximum length of a skeleton in code points, so that databases can index it. */
const MAX_LENGTH = 512;
const NOT_ASCII = /[^\0-\x7f]/gu;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
/** An `i` or `j` has a dot already, so another dot above is invisible. */
const SECOND_DOT = /(?<=[ij])\u0307/gu;

function readPrototypes(): ReadonlyMap<string, string> {
  let source = 0;
  return new Map(
    CONFUSABLES.trim()
      .split(/\s+/)
      .map((entry) => {
        const [distance = 0, ...target] = entry.split('.').map((number) => Number.parseInt(number, BASE));
        source += distance;
        return [String.fromCodePoint(source), String.fromCodePoint(...target)];
      }),
  );
}

const PROTOTYPES = readPrototypes();

const prototypeOf = (character: string) => PROTOTYPES.get(character) ?? character;

/**
 * Returns the skeleton of a name as in UTS #39. Names with the same skeleton are confusable. Like names, skeletons
 * ignore case: confusable capitals are replaced first, then the text is lowered and replaced once more. `i` counts as
 * `l`, because a capital `I` looks like one. For comparison only.
 */
export function skeletonOf(name: string): string {
  const shown = name.normalize('NFKC').replace(IGNORABLE, '').normalize('NFD');
  const small = shown.replace(NOT_ASCII, prototypeOf).normalize('NFD').toLowerCase().replace(SECOND_DOT, '');
  const skeleton = Array.from(small, prototypeOf).join('').normalize('NFD').toLowerCase().replaceAll('i', 'l');
  return Array.from(skeleton).slice(0, MAX_LENGTH).join('');
}
