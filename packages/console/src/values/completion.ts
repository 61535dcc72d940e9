/** Completions for a filter. */
export interface Completion {
  /** Start of the word that an option replaces. */
  readonly from: number;
  readonly options: readonly string[];
}

/** Fields that every document has. */
const SERVICE_NAMES = ['id', '_author', '_creation_date', '_update_date'];
const OPERATORS = ['=', '<>', '<', '<=', '>', '>=', 'like', 'in', 'between', 'is null', 'is not null', 'contains'];
const CONNECTIVES = ['and', 'or'];
const MOST_OPTIONS = 12;
const NONE: Completion = { from: 0, options: [] };

const NAME = /^[A-Za-z_`][\w.[\]`-]*$/;
const KEYWORD = /^(?:and|or|not|in|is|null|like|between|contains|containstext)$/i;
const TOKENS =
  /'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?|[<>=!]+|[()[\],]|[^\s<>=!()[\],'"]+(?:\[\d*\]?[^\s<>=!()[\],'"]*)*/g;

const isName = (token: string) => NAME.test(token) && !KEYWORD.test(token);
const isValue = (token: string) => /^(?:['"\d-]|true$|false$|null$|\?$)/i.test(token);

/** Returns the tokens that can follow those before the cursor. */
function following(tokens: readonly string[], paths: readonly string[]): readonly string[] {
  const last = tokens.at(-1);
  const names = [...paths, ...SERVICE_NAMES];
  if (last === undefined || last === '(' || /^(?:and|or|not)$/i.test(last)) return names;
  if (last === ')' || last === ']' || isValue(last)) return CONNECTIVES;
  // An operator follows a name, unless the name is already the right side of a comparison.
  if (isName(last)) return /^[<>=!]+$/.test(tokens.at(-2) ?? '') ? CONNECTIVES : OPERATORS;
  return [];
}

/**
 * Completes a filter of the query language at the cursor.
 *
 * @param paths paths in the documents, most useful first
 */
export function completeCondition(text: string, cursor: number, paths: readonly string[]): Completion {
  const before = text.slice(0, cursor);
  const tokens = before.match(TOKENS) ?? [];
  const last = tokens.at(-1) ?? '';
  const isTyping = before.endsWith(last) && last !== '' && !/^[<>=!()[\],]+$/.test(last);
  // No completion inside a string.
  if (isTyping && /^['"]/.test(last)) return NONE;
  const word = isTyping ? last.toLowerCase() : '';
  const found = following(isTyping ? tokens.slice(0, -1) : tokens, paths)
    .filter((option) => option.toLowerCase().startsWith(word) && option.toLowerCase() !== word)
    .slice(0, MOST_OPTIONS);
  return { from: cursor - word.length, options: found };
}

/** Replaces the completed word by an option. Returns the text and the new cursor position. */
export function applyCompletion(text: string, cursor: number, from: number, option: string): readonly [string, number] {
  const inserted = `${option} `;
  const rest = text.slice(cursor).replace(/^ /, '');
  return [text.slice(0, from) + inserted + rest, from + inserted.length];
}

/** Returns the member paths of documents, including nested objects, most frequent first. */
export function pathsOf(documents: readonly unknown[], depth = 3): string[] {
  const counts = new Map<string, number>();
  function visit(value: unknown, prefix: string, left: number): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || left === 0) return;
    for (const [name, member] of Object.entries(value)) {
      // Other names need quotes.
      if (!/^[A-Za-z_]\w*$/.test(name)) continue;
      const path = prefix + name;
      counts.set(path, (counts.get(path) ?? 0) + 1);
      visit(member, `${path}.`, left - 1);
    }
  }
  for (const document of documents) visit(document, '', depth);
  return [...counts].sort(([, a], [, b]) => b - a).map(([path]) => path);
}
