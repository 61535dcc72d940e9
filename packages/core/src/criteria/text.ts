/** Returns the length in code points, not UTF-16 units. */
export function lengthInCodePoints(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    if (isPair(text, at)) {
      length--;
      at++;
    }
  }
  return length;
}

const isPair = (text: string, at: number) => (text.codePointAt(at) ?? 0) > 0xffff;

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const isSurrogate = (unit: number) => unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE;

/**
 * Returns a negative number, 0 or a positive number, as `a` comes before, equals or comes after `b` by code point.
 * JavaScript's own comparison is by UTF-16 unit, which puts surrogate pairs before U+E000 to U+FFFF.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x === y) continue;
    if (isSurrogate(x) === isSurrogate(y)) return x - y;
    return isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

/** A specific code point, or null for any code point. */
type Piece = string | null;

const ANY = '%';
const ONE = '_';
const ESCAPE = '\\';

/**
 * Returns the same pattern with a backslash only before `%`, `_` and the backslash. A final backslash stands for
 * itself.
 */
export function canonicalPattern(pattern: string): string {
  return pattern.replace(/\\([\s\S]?)/g, (pair, char: string) => {
    if (char === '') return ESCAPE + ESCAPE;
    return char === ANY || char === ONE || char === ESCAPE ? pair : char;
  });
}

/** Returns the parts of a pattern between its `%`. */
function piecesOf(pattern: string): Piece[][] {
  const parts: Piece[][] = [[]];
  let escaped = false;
  for (const char of pattern) {
    const last = parts.at(-1) as Piece[];
    if (escaped) last.push(char);
    else if (char === ANY) parts.push([]);
    else if (char === ONE) last.push(null);
    else if (char !== ESCAPE) last.push(char);
    escaped = !escaped && char === ESCAPE;
  }
  return parts;
}

/** Returns the index at which the last `count` code points begin; -1 if there are fewer. */
function startOfLast(text: string, count: number): number {
  let at = text.length;
  for (let left = count; left > 0; left--) {
    if (at === 0) return -1;
    at -= at > 1 && isPair(text, at - 2) ? 2 : 1;
  }
  return at;
}

/** Returns the index at which these pieces end if they match at `at`; -1 if they do not. */
function endOf(text: string, at: number, pieces: readonly Piece[]): number {
  let end = at;
  for (const piece of pieces) {
    if (end >= text.length) return -1;
    if (piece === null) end += isPair(text, end) ? 2 : 1;
    else if (text.startsWith(piece, end)) end += piece.length;
    else return -1;
  }
  return end;
}

/** Returns the index at which the first match at or after `at` ends; -1 without one. */
type Find = (text: string, at: number) => number;

function createFind(pieces: readonly Piece[]): Find {
  const source = pieces.map((piece) => piece?.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&') ?? '[^]').join('');
  const part = new RegExp(source, 'gu');
  return (text, at) => {
    part.lastIndex = at;
    return part.test(text) ? part.lastIndex : -1;
  };
}

/**
 * Creates a function that tests a text against a pattern. Taking the first match of each part between two `%` is always
 * correct, so there is no backtracking, and the time is at most proportional to the product of both lengths.
 *
 * @param pattern canonical
 */
export function createLike(pattern: string): (text: string) => boolean {
  const [first = [], ...rest] = piecesOf(pattern);
  const last = rest.pop();
  const finds = rest.map(createFind);
  return (text) => {
    let at = endOf(text, 0, first);
    if (at === -1) return false;
    if (last === undefined) return at === text.length;
    for (const find of finds) {
      at = find(text, at);
      if (at === -1) return false;
    }
    const start = startOfLast(text, last.length);
    return start >= at && endOf(text, start, last) === text.length;
  };
}
