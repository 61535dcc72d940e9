/** Prefix of a label that was encoded because it is not ASCII. */
const ENCODED = 'xn--';

// Parameters of Punycode (RFC 3492, section 5).
const [BASE, T_MIN, T_MAX, SKEW, DAMP, FIRST_BIAS, FIRST_POINT] = [36, 1, 26, 38, 700, 72, 0x80];
const LAST_POINT = 0x10ffff;

/** Characters that UTS 46 ignores. */
const IGNORED =
  /\u034f|[\u00ad\u115f\u1160\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]|[\u{e0100}-\u{e01ef}]/u;
const FINAL_SIGMA = '\u03c2';
/** Letters that differ from the small form of their capital letter in domains, as the final sigma does. */
const DISTINCT = /[\u00df\u0131]/;
/** A script whose small letters are mapped to the capital ones, which are older. */
const CHEROKEE = /\p{Script=Cherokee}/u;
const DOTS = /[\u3002\uff0e\uff61]/g;
/** Characters that end a host or its labels. Only dots may have compatibility forms. */
const SEPARATOR = /[.#%/:<>?@[\\\]^|\u3002]/;
const ASCII = /^[\0-\x7f]*$/;

function smallForm(character: string): string {
  if (DISTINCT.test(character)) return character;
  const capital = character.toUpperCase();
  // Also maps letters without a capital form, such as a Greek iota below another letter.
  return CHEROKEE.test(character) ? capital : capital.toLowerCase();
}

function mapped(character: string): string {
  if (IGNORED.test(character)) return '';
  const plain = character.normalize('NFKC');
  return character === FINAL_SIGMA || SEPARATOR.test(plain) ? character : Array.from(plain, smallForm).join('');
}

/** Maps the characters of a domain as in UTS 46, section 4. */
const mappedText = (domain: string) => Array.from(domain.replaceAll(DOTS, '.'), mapped).join('').normalize('NFC');

/** Returns the next bias of Punycode (RFC 3492, section 6.1). */
function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let bias = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; bias += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return bias + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

/** Returns the value of a digit, of which `a` is 0 and `0` is 26; NaN for other characters. */
const digitValue = (digit = '') => (/^[a-z\d]$/.test(digit) ? (Number.parseInt(digit, BASE) + 26) % BASE : Number.NaN);

/** Decodes Punycode (RFC 3492, section 6.2), in small letters. Returns null if it is not valid. */
function decoded(text: string): string | null {
  const end = text.lastIndexOf('-');
  const points = Array.from(text.slice(0, Math.max(end, 0)), (character) => character.charCodeAt(0));
  let [point, at, bias, position] = [FIRST_POINT, 0, FIRST_BIAS, end + 1];
  while (position < text.length) {
    const before = at;
    for (let [weight, k] = [1, BASE]; ; k += BASE) {
      const digit = digitValue(text[position++]);
      at += digit * weight;
      if (!(at <= Number.MAX_SAFE_INTEGER)) return null;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const count = points.length + 1;
    bias = adapted(at - before, count, before === 0);
    point += Math.floor(at / count);
    at %= count;
    if (point > LAST_POINT) return null;
    points.splice(at++, 0, point);
  }
  return String.fromCodePoint(...points);
}

/** Decodes an encoded label. A label that nothing is encoded to remains unchanged, because it has no other form. */
function shownLabel(label: string): string {
  const text = label.startsWith(ENCODED) ? decoded(label.slice(ENCODED.length)) : null;
  return text === null || ASCII.test(text) || mappedText(text) !== text ? label : text;
}

/**
 * Returns the domain in the form that is the same for all its spellings (UTS 46): in small letters, without compatibility
 * forms, and with encoded labels (`xn--…`) decoded. Invalid domains remain different from all valid ones.
 */
export function domainKey(domain: string): string {
  const small = ASCII.test(domain) ? domain.toLowerCase() : mappedText(domain);
  return small.includes(ENCODED) ? small.split('.').map(shownLabel).join('.') : small;
}
