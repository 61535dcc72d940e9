/** Masks for generated values. Equal values get equal masks. */
const IDENTITIES: ReadonlyArray<readonly [RegExp, string]> = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, 'id'],
  [/(?<=X-BB-SESSION"?: ?"?)[\w-]{44}(?![\w-])/g, 'token'],
  [/(?<="client": ?")[\w-]{44}(?=")/g, 'client'],
  [/(?<="id": ?")[\w-]{22}(?=")/g, 'session'],
  [/whsec_[\w+/=]+/g, 'secret'],
  [/(?<="next": ?")[\w.-]+(?=")/g, 'cursor'],
  [/(?<=")user-[a-z0-9_-]{22}(?=")/g, 'generated name'],
];

/** Parts of an output that differ between runs. */
const MASKS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000/g, '<date>'],
  [/curl\/[\w.-]+/g, '<curl>'],
  [/("(?:time|ms|pid)": ?)[\d.]+/g, '$1"<number>"'],
  [/(?<=\bversion )\d+/g, '<number>'],
  // On a busy machine a mock server answers too late, and the next attempt succeeds.
  [/("attempts": ?)[1-9]\d*/g, '$1"<number>"'],
  [/\b\d+(?= (?:rows|blobs)\b)/g, '<number>'],
  [/("(?:reqId|API_version)": ?)"[\w.-]+"/g, '$1"<masked>"'],
];

function masked(output: string): string {
  const named = IDENTITIES.reduce((text, [pattern, name]) => {
    const seen = new Map<string, string>();
    return text.replace(pattern, (value) => {
      if (!seen.has(value)) seen.set(value, `<${name} ${seen.size + 1}>`);
      return seen.get(value) ?? '';
    });
  }, output);
  return MASKS.reduce((text, [pattern, name]) => text.replace(pattern, name), named);
}

/** Returns the index after the JSON text that begins at `start`; null if there is no valid JSON. */
function endOfJson(text: string, start: number): number | null {
  let [depth, inString] = [0, false];
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? '';
    if (inString) {
      if (char === '\\') at++;
      else inString = char !== '"';
    } else if (char === '"') inString = true;
    else if ('[{'.includes(char)) depth++;
    else if (']}'.includes(char) && --depth === 0) return at + 1;
  }
  return null;
}

/**
 * Returns the JSON object or array that begins at `start`, without whitespace, and the index after it; null if there is
 * none.
 */
function jsonAt(text: string, start: number): { line: string; end: number } | null {
  const end = /[[{]/.test(text[start] ?? '') ? endOfJson(text, start) : null;
  if (end === null) return null;
  try {
    return { line: JSON.stringify(JSON.parse(text.slice(start, end))), end };
  } catch {
    return null;
  }
}

function lineAt(text: string, start: number): { line: string; end: number } {
  const next = text.indexOf('\n', start);
  const end = next === -1 ? text.length : next + 1;
  return { line: text.slice(start, end).trimEnd(), end };
}

/**
 * Splits output into lines and masks the parts that differ between runs. Each JSON object or array that begins a line,
 * or follows another one, becomes a separate line regardless of whitespace. The order of its members matters, line
 * breaks do not.
 */
export function linesOf(output: string): string[] {
  const text = masked(output);
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const { line, end } = jsonAt(text, at) ?? lineAt(text, at);
    lines.push(line);
    at = end;
  }
  return lines.filter((line) => line.trim() !== '');
}
