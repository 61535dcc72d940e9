/** Completions for a filter. */
export interface Completion {
  /** Start of the word that an option replaces. */
  readonly from: number;
  readonly options: readonly string[];
}

/** Fields that every document has. */
const SERVICE_NAMES = ['id', '_author', '_updated_by', '_creation_date', '_update_date'];
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

/** Names that an expression can contain. */
export interface Names {
  readonly values: readonly string[];
  /** Names on the right side of a comparison. */
  readonly right: readonly string[];
  /** Arguments of `changed(…)`. */
  readonly changed: readonly string[];
}

const CALLER_NAMES = ['caller.name', 'caller.id', 'caller.roles', 'caller.groups'];
const AUTHOR = '_author';

export const namesInFilter = (paths: readonly string[]): Names => ({
  values: [...paths, ...SERVICE_NAMES],
  right: [],
  changed: [],
});

export const namesInCondition = (paths: readonly string[]): Names => ({
  values: [...paths, ...CALLER_NAMES, ...SERVICE_NAMES],
  right: CALLER_NAMES,
  changed: [],
});

/** Returns the names of a check. New documents have no old content, and deleted ones no new content. */
export function namesInCheck(action: 'create' | 'update' | 'delete', paths: readonly string[]): Names {
  const states = { create: ['new'], update: ['new', 'old'], delete: ['old'] }[action];
  const inStates = [...paths, AUTHOR].flatMap((path) => states.map((state) => `${state}.${path}`));
  const call = action === 'update' ? ['changed('] : [];
  const values = [...CALLER_NAMES, `parent.${AUTHOR}`, 'now', ...inStates];
  return { values: [...call, ...values], right: values, changed: paths };
}

/** Returns the tokens that can follow those before the cursor. */
function following(tokens: readonly string[], names: Names): readonly string[] {
  const last = tokens.at(-1);
  const isCall = (at: number) => tokens.at(at) === '(' && tokens.at(at - 1)?.toLowerCase() === 'changed';
  if (isCall(-1)) return names.changed;
  if (isCall(-2)) return [];
  if (last === undefined || last === '(' || /^(?:and|or|not)$/i.test(last)) return names.values;
  if (last === ')' || last === ']' || isValue(last)) return CONNECTIVES;
  if (/^(?:[<>=!]+|in|contains|\[|,)$/i.test(last)) return names.right;
  // An operator follows a name, unless the name is already the right side of a comparison.
  if (isName(last)) return /^[<>=!]+$/.test(tokens.at(-2) ?? '') ? CONNECTIVES : OPERATORS;
  return [];
}

/**
 * Completes an expression of the query language at the cursor.
 *
 * @param names most useful first
 */
export function completeExpression(text: string, cursor: number, names: Names): Completion {
  const before = text.slice(0, cursor);
  const tokens = before.match(TOKENS) ?? [];
  const last = tokens.at(-1) ?? '';
  const isTyping = before.endsWith(last) && last !== '' && !/^[<>=!()[\],]+$/.test(last);
  // No completion inside a string.
  if (isTyping && /^['"]/.test(last)) return NONE;
  const word = isTyping ? last.toLowerCase() : '';
  const found = following(isTyping ? tokens.slice(0, -1) : tokens, names)
    .filter((option) => option.toLowerCase().startsWith(word) && option.toLowerCase() !== word)
    .slice(0, MOST_OPTIONS);
  return { from: cursor - word.length, options: found };
}

/** Completes the path of a field. */
export function completePath(text: string, cursor: number, paths: readonly string[]): Completion {
  const word = text.slice(0, cursor).toLowerCase();
  const options = paths.filter((path) => path.toLowerCase().startsWith(word) && path.toLowerCase() !== word);
  return { from: 0, options: options.slice(0, MOST_OPTIONS) };
}

/** Replaces the completed word by an option. Returns the text and the new cursor position. */
export function applyCompletion(text: string, cursor: number, from: number, option: string): readonly [string, number] {
  const inserted = option.endsWith('(') ? option : `${option} `;
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
