import { AppError } from '../errors.ts';
import { BEHIND_LAST, type JsonStep } from '../json-steps.ts';
import { canonicalJson, parseJson } from '../json-text.ts';
import { isOwnedField } from './body.ts';

const INDEX = /^(?:0|[1-9]\d{0,14})$/;
const QUOTED = /^`(?:[^`]|``)*`$/s;

function parseName(text: string): string {
  if (text === '') throw new AppError('field.path_invalid', { detail: 'a name is missing' });
  const name = QUOTED.test(text) ? text.slice(1, -1).replaceAll('``', '`') : text;
  if (name.includes('/')) throw new AppError('field.path_invalid', { detail: 'a name must not contain a slash' });
  const json = JSON.stringify(name);
  canonicalJson(parseJson(json)); // rejects names that cannot be stored
  return name;
}

/**
 * Returns the index at which the trailing brackets of a part begin. Brackets contain an index or a mistake, never a
 * name.
 */
function startOfIndexes(part: string): number {
  let at = part.length;
  while (part[at - 1] === ']') {
    const open = part.lastIndexOf('[', at - 1);
    if (open === -1 || part.slice(open + 1, at - 1).includes(']')) break;
    at = open;
  }
  return at;
}

function parseIndexes(text: string): number[] {
  if (text === '') return [];
  return text
    .slice(1, -1)
    .split('][')
    .map((index, at, all) => {
      if (index === '' && at === all.length - 1) return BEHIND_LAST;
      if (!INDEX.test(index)) {
        throw new AppError('field.path_invalid', { detail: `[${index}] is not an index: use whole numbers from 0` });
      }
      return Number(index);
    });
}

function parsePart(part: string): JsonStep[] {
  if (!part.startsWith('.')) {
    throw new AppError('field.path_invalid', { detail: `"${part}" does not begin with a dot` });
  }
  const at = startOfIndexes(part);
  return [parseName(part.slice(1, at)), ...parseIndexes(part.slice(at))];
}

/**
 * Parses a path to set: `.name`, `.name[0]`, `.name[0][1]`. A final `[]` is the place after the last element. Any name
 * can be written in backticks, with each backtick in it doubled. The empty name, and names that end like an index, must
 * be.
 *
 * @param parts decoded
 * @throws `field.path_invalid`, `field.owned`, and `input.*` for names that cannot be stored
 */
export function parseTargetPath(parts: readonly string[]): JsonStep[] {
  const steps = parts.flatMap(parsePart);
  const [first] = steps;
  if (first === undefined) throw new AppError('field.path_invalid', { detail: 'the path is empty' });
  if (typeof first === 'string' && isOwnedField(first)) throw new AppError('field.owned', { detail: `"${first}"` });
  if (steps.slice(0, -1).includes(BEHIND_LAST)) {
    throw new AppError('field.path_invalid', { detail: '[] is allowed only at the end' });
  }
  return steps;
}

/** Parses a path to an existing field: as `parseTargetPath`, without `[]`. @throws as `parseTargetPath` */
export function parseFieldPath(parts: readonly string[]): JsonStep[] {
  const steps = parseTargetPath(parts);
  if (steps.at(-1) === BEHIND_LAST) throw new AppError('field.path_invalid', { detail: '[] is for adding an element' });
  return steps;
}

/** Maximum length of a path in a patch, in characters. */
const MAX_PATH_LENGTH = 2000;

/**
 * Splits a path in a patch into the parts of the equivalent URL path: `author.roles[3]` or `author/.roles[3]` becomes
 * `.author/.roles[3]`. A name with a dot is in backticks.
 *
 * @throws `field.path_invalid`
 */
export function partsOfPath(path: string): string[] {
  if (path.length > MAX_PATH_LENGTH) {
    throw new AppError('field.path_invalid', { detail: `the path is longer than ${MAX_PATH_LENGTH} characters` });
  }
  const parts: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < path.length; at++) {
    if (path[at] === '`') isQuoted = !isQuoted;
    if (path[at] !== '.' || isQuoted) continue;
    parts.push(`.${path.slice(start, path[at - 1] === '/' ? at - 1 : at)}`);
    start = at + 1;
  }
  if (isQuoted) throw new AppError('field.path_invalid', { detail: 'a backtick is not closed' });
  return [...parts, `.${path.slice(start)}`];
}
