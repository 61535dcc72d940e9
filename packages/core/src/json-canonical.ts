import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, endOfScalar, isSpace, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts';

/** Number of members above which names are looked up instead of compared. */
const FEW = 8;

/** Scalars that are canonical unchanged: words, whole numbers, and strings without escapes and surrogates. */
const CANONICAL_SCALAR = /^(?:[tfn]|-?[1-9]\d{0,14}$|0$|"[^\\\ud800-\udfff]*$)/;

function canonicalScalar(text: string): string {
  if (CANONICAL_SCALAR.test(text)) return text;
  return JSON.stringify(JSON.parse(text));
}

/** Returns the place of a name; -1 if it is new. @param places of all names, once there are many */
function placeIn(names: readonly string[], name: string, places: Map<string, number> | null): number {
  return places === null ? names.indexOf(name) : (places.get(name) ?? -1);
}

function membersText(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (let place = 0; place < names.length; place++)
    text += `${place === 0 ? '' : ','}${names[place]}:${values[place]}`;
  return `{${text}}`;
}

/**
 * Rewrites valid JSON as canonical JSON. The caller limits the depth.
 *
 * @param omits returns true for members of the outermost object to leave out
 */
export function canonicalText(text: string, omits: (name: string) => boolean): string {
  let at = 0;

  function skipSpace(): number {
    while (isSpace(text.charCodeAt(at))) at++;
    return text.charCodeAt(at);
  }

  function skipComma(): void {
    if (skipSpace() === COMMA) at++;
  }

  function scalar(): string {
    const end = endOfScalar(text, at);
    const token = canonicalScalar(text.slice(at, end));
    at = end;
    return token;
  }

  /** Of several members with the same name the last one counts, in the place of the first. */
  function object(depth: number): string {
    const names: string[] = [];
    const values: string[] = [];
    let places: Map<string, number> | null = null;
    at++;
    for (; skipSpace() !== CLOSE_BRACE; skipComma()) {
      const name = scalar();
      skipSpace();
      at++; // the colon
      const member = value(depth + 1);
      if (depth === 0 && omits(JSON.parse(name))) continue;
      if (names.length === FEW) places ??= new Map(names.map((known, place) => [known, place]));
      const place = placeIn(names, name, places);
      if (place !== -1) values[place] = member;
      else {
        places?.set(name, names.length);
        names.push(name);
        values.push(member);
      }
    }
    at++;
    return membersText(names, values);
  }

  function array(depth: number): string {
    const elements: string[] = [];
    at++;
    for (; skipSpace() !== CLOSE_BRACKET; skipComma()) elements.push(value(depth + 1));
    at++;
    return `[${elements.join(',')}]`;
  }

  function value(depth: number): string {
    const char = skipSpace();
    if (char === OPEN_BRACE) return object(depth);
    return char === OPEN_BRACKET ? array(depth) : scalar();
  }

  return value(0);
}
