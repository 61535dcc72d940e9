/** A certain code point, or null for any code point. */
export type Piece = string | null;

/** The index at which the first match at or after `at` ends; -1 without one. */
export type Find = (text: string, at: number) => number;

const isPair = (text: string, at: number) => (text.codePointAt(at) ?? 0) > 0xffff;
const nextAt = (text: string, at: number) => at + (isPair(text, at) ? 2 : 1);

/** Up to this length the engine's own search is faster, and this length limits its worst case. */
const MAX_PLAIN = 32;
/** Up to this length comparing at every position is fastest. */
const MAX_TRIED = 8;

/** The index at which these pieces end if they match at `at`; -1 if they do not. */
export function endOf(text: string, at: number, pieces: readonly Piece[]): number {
  let end = at;
  for (const piece of pieces) {
    if (end >= text.length) return -1;
    if (piece === null) end = nextAt(text, end);
    else if (text.startsWith(piece, end)) end += piece.length;
    else return -1;
  }
  return end;
}

/** For each length of a prefix: the length of its longest proper prefix that is also its suffix. */
function borders(part: string): Int32Array {
  const lengths = new Int32Array(part.length + 1);
  for (let end = 1, length = 0; end < part.length; end++) {
    while (length > 0 && part.charCodeAt(end) !== part.charCodeAt(length)) length = lengths[length] ?? 0;
    if (part.charCodeAt(end) === part.charCodeAt(length)) length++;
    lengths[end + 1] = length;
  }
  return lengths;
}

/** Knuth-Morris-Pratt search: reads each character of a text at most twice. */
function findLong(part: string): Find {
  const lengths = borders(part);
  return (text, at) => {
    for (let i = at, length = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      while (length > 0 && part.charCodeAt(length) !== unit) length = lengths[length] ?? 0;
      if (part.charCodeAt(length) === unit) length++;
      if (length === part.length) return i + 1;
    }
    return -1;
  };
}

/** Searches texts for a substring, in time linear in the text. */
export function createFind(part: string): Find {
  if (part.length > MAX_PLAIN) return findLong(part);
  return (text, at) => {
    const found = text.indexOf(part, at);
    return found === -1 ? -1 : found + part.length;
  };
}

function findTried(pieces: readonly Piece[]): Find {
  return (text, at) => {
    for (let start = at; start <= text.length; start = nextAt(text, start)) {
      const end = endOf(text, start, pieces);
      if (end !== -1) return end;
    }
    return -1;
  };
}

const WORD = 32;

/** A bit mask for each code point, and one for all code points that do not occur: a bit for each piece that it matches. */
function masksOf(pieces: readonly Piece[]) {
  const anything = new Int32Array(Math.ceil(pieces.length / WORD));
  const masks = new Map<number, Int32Array>();
  const set = (mask: Int32Array, at: number) => {
    mask[at >> 5] = (mask[at >> 5] ?? 0) | (1 << (at & 31));
  };
  for (const [at, piece] of pieces.entries()) if (piece === null) set(anything, at);
  for (const [at, piece] of pieces.entries()) {
    if (piece === null) continue;
    const point = piece.codePointAt(0) ?? 0;
    const mask = masks.get(point) ?? anything.slice();
    set(mask, at);
    masks.set(point, mask);
  }
  return { masks, anything };
}

/** Extends every partial match by one piece, where the mask allows it. */
function step(state: Int32Array, mask: Int32Array): void {
  let carry = 1;
  for (let word = 0; word < state.length; word++) {
    const bits = state[word] ?? 0;
    state[word] = ((bits << 1) | carry) & (mask[word] ?? 0);
    carry = bits >>> 31;
  }
}

/**
 * The shift-and algorithm (Baeza-Yates and Gonnet): one bit for each prefix of the pieces says whether it ends here.
 * Each character takes one step for every 32 pieces.
 */
function findByBits(pieces: readonly Piece[]): Find {
  const { masks, anything } = masksOf(pieces);
  const words = anything.length;
  const last = 1 << ((pieces.length - 1) & 31);

  return (text, at) => {
    const state = new Int32Array(words);
    for (let i = at; i < text.length; ) {
      const point = text.codePointAt(i) ?? 0;
      i += point > 0xffff ? 2 : 1;
      step(state, masks.get(point) ?? anything);
      if (((state[words - 1] ?? 0) & last) !== 0) return i;
    }
    return -1;
  };
}
/** Searches texts for a sequence of pieces. */
export function createFindPieces(pieces: readonly Piece[]): Find {
  if (pieces.length === 0) return (_text, at) => at;
  if (!pieces.includes(null)) return createFind(pieces.join(''));
  return pieces.length <= MAX_TRIED ? findTried(pieces) : findByBits(pieces);
}
