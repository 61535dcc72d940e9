/** A part of a word: text, or the value of a variable. */
type Part = { readonly text: string } | { readonly variable: string };
export type Word = readonly Part[];

export interface Call {
  readonly kind: 'request';
  readonly method: string;
  readonly url: Word;
  readonly query: ReadonlyArray<readonly [string, Word]>;
  readonly headers: ReadonlyArray<readonly [string, Word]>;
  readonly credentials: { readonly name: Word; readonly password: Word } | null;
  readonly body: Word | null;
  /** What is printed: the answer, its status, or nothing. */
  readonly shown: 'answer' | 'status' | 'nothing';
  /** Whether a later step reads the answer. */
  readonly isKept: boolean;
}

export type Step =
  | Call
  /** `NAME=value`. */
  | { readonly kind: 'assignment'; readonly variable: string; readonly value: Word }
  /** Takes a member of the last answer. */
  | { readonly kind: 'member'; readonly variable: string; readonly name: string };

type Token = { readonly word: Word } | { readonly operator: '|' | '\n' };

/** The variables of the guide that hold a whole header. */
const HEADERS: Readonly<Record<string, readonly [string, Word]>> = {
  CODE: ['X-SERVICE-APPCODE', [{ variable: 'CODE' }]],
  JSON: ['Content-Type', [{ text: 'application/json' }]],
};

/** How the pages take an id out of an answer. */
const MEMBER = /^(\w+)=\$\(sed 's\/\.\*"([\w-]+)":"\\\(\[\^"\]\*\\\)"\.\*\/\\1\/' answer\)$/;

/** The tokens of a script, outside of quotes and inside: each pattern with what it stands for. */
const OUTSIDE = [
  [/^\$\{?(\w+)\}?/, 'variable'],
  [/^'([^']*)'/, 'text'],
  [/^"((?:[^"\\$`]|\\[\s\S]|\$\{?\w+\}?)*)"/, 'quoted'],
  [/^(?:\\\n|[ \t]+)/, 'blank'],
  [/^\\([\s\S])/, 'text'],
  [/^([|\n])/, 'operator'],
  [/^([^\s|;&<()'"$`\\]+)/, 'text'],
] as const;

/** The parts of a text in double quotes. */
function quotedParts(text: string): Part[] {
  return text.split(/(\$\{?\w+\}?)/).flatMap((piece): Part[] => {
    const [, variable] = /^\$\{?(\w+)\}?$/.exec(piece) ?? [];
    if (variable !== undefined) return [{ variable }];
    return piece === '' ? [] : [{ text: piece.replace(/\\\n/g, '').replace(/\\(["\\$`])/g, '$1') }];
  });
}

/** The same parts with neighbouring texts as one. */
function joined(parts: readonly Part[]): Word {
  const word: Part[] = [];
  for (const part of parts) {
    const last = word.at(-1);
    if (last !== undefined && 'text' in last && 'text' in part) word[word.length - 1] = { text: last.text + part.text };
    else word.push(part);
  }
  return word;
}

/** The tokens of a script; null when it uses more of the shell than words, quotes, variables and pipes. */
function tokenize(script: string): Token[] | null {
  const tokens: Token[] = [];
  let parts: Part[] = [];
  const end = () => {
    if (parts.length > 0) tokens.push({ word: joined(parts) });
    parts = [];
  };
  let rest = script;
  while (rest !== '') {
    const found = OUTSIDE.map(([pattern, kind]) => ({ kind, match: pattern.exec(rest) })).find(({ match }) => match);
    if (found?.match == null) return null;
    const { kind, match } = found;
    const [all, content = ''] = match;
    rest = rest.slice(all.length);
    if (kind === 'text') parts.push({ text: content });
    else if (kind === 'variable') parts.push({ variable: content });
    else if (kind === 'quoted') parts.push(...quotedParts(content));
    else end();
    if (kind === 'operator') tokens.push({ operator: content === '|' ? '|' : '\n' });
  }
  end();
  return tokens;
}

const textOf = (word: Word): string => word.map((part) => ('text' in part ? part.text : `$${part.variable}`)).join('');

/** Splits a word at the first `separator`; the first half has no variables. */
function split(word: Word, separator: string): readonly [string, Word] | null {
  const [first, ...rest] = word;
  if (first === undefined || !('text' in first)) return null;
  const at = first.text.indexOf(separator);
  if (at < 0) return null;
  const after = first.text.slice(at + separator.length);
  return [first.text.slice(0, at), after === '' && rest.length > 0 ? rest : [{ text: after }, ...rest]];
}

function headerOf(word: Word): readonly [string, Word] | null {
  const parts = word.filter((part) => 'variable' in part || part.text !== '');
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'variable' in only) return HEADERS[only.variable] ?? null;
  return split(word, ': ');
}

/** What the options of curl say. */
interface Options {
  method: string | null;
  url: Word | null;
  isQuery: boolean;
  body: Word | null;
  shown: Call['shown'];
  credentials: Call['credentials'];
  readonly headers: Array<readonly [string, Word]>;
  readonly values: Array<readonly [string, Word]>;
}

/** The options with a value. Each returns false when the value has no equal in the other languages. */
const VALUED: Readonly<Record<string, (options: Options, value: Word) => boolean>> = {
  '-X': (options, value) => {
    options.method = textOf(value);
    return true;
  },
  '-d': (options, value) => {
    const isFirst = options.body === null;
    options.body = value;
    return isFirst; // several values make a form
  },
  '-o': (options, value) => {
    if (options.shown === 'answer') options.shown = 'nothing';
    return textOf(value) === '/dev/null';
  },
  '-w': (options, value) => {
    options.shown = 'status';
    return textOf(value) === '%{http_code}\\n';
  },
  '-H': (options, value) => {
    const header = headerOf(value);
    if (header !== null) options.headers.push(header);
    return header !== null;
  },
  '-u': (options, value) => {
    const pair = split(value, ':');
    if (pair !== null) options.credentials = { name: [{ text: pair[0] }], password: pair[1] };
    return pair !== null;
  },
  '--data-urlencode': (options, value) => {
    const pair = split(value, '=');
    if (pair !== null) options.values.push(pair);
    return pair !== null;
  },
};

/** Options that change nothing about the request. */
const PLAIN = ['-s', '-g'];

/** Reads the arguments of curl; null when one of them has no equal in the other languages. */
function readOptions(words: readonly Word[]): Options | null {
  const options: Options = {
    method: null,
    url: null,
    isQuery: false,
    body: null,
    shown: 'answer',
    credentials: null,
    headers: [],
    values: [],
  };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const option = textOf(word);
    const take = VALUED[option];
    if (take !== undefined) {
      if (!take(options, left.shift() ?? [])) return null;
    } else if (option === '-G') options.isQuery = true;
    else if (!option.startsWith('-') && options.url === null) options.url = word;
    else if (!PLAIN.includes(option)) return null;
  }
  return options;
}

function readCall(words: readonly Word[], { isKept = false, isSilent = false } = {}): Call | null {
  const options = readOptions(words);
  if (options === null) return null;
  const { method, url, isQuery, body, shown, credentials, headers, values } = options;
  if (url === null || (values.length > 0 && !isQuery)) return null;
  return {
    kind: 'request',
    method: method ?? (body === null || isQuery ? 'GET' : 'POST'),
    url,
    query: values,
    headers,
    credentials,
    body,
    shown: isSilent ? 'nothing' : shown,
    isKept,
  };
}

function readAssignment(word: Word): Step | null {
  const pair = split(word, '=');
  return pair !== null && /^\w+$/.test(pair[0]) ? { kind: 'assignment', variable: pair[0], value: pair[1] } : null;
}

/** The steps of one line of commands. */
function readLine(tokens: readonly Token[]): Step | null {
  const words = tokens.flatMap((token) => ('word' in token ? [token.word] : []));
  const pipes = tokens.length - words.length;
  const [first = []] = words;
  if (textOf(first) !== 'curl') return words.length === 1 && pipes === 0 ? readAssignment(first) : null;
  const end = words.slice(-2).map(textOf).join(' ');
  if (pipes === 0 && end === '> answer') return readCall(words.slice(1, -2), { isKept: true, isSilent: true });
  if (pipes === 1 && end === 'tee answer') return readCall(words.slice(1, -2), { isKept: true });
  return pipes === 0 ? readCall(words.slice(1)) : null;
}

/** The requests of a block of shell commands; null when it does more than send requests and keep values. */
export function readRequests(script: string): Step[] | null {
  const steps: Step[] = [];
  const members = new Map<string, Step>();
  // Such lines would be no words, so a word stands for each.
  const lines = script.split('\n').map((line, at) => {
    const [, variable, name] = MEMBER.exec(line) ?? [];
    if (variable === undefined || name === undefined) return line;
    members.set(`member-${at}`, { kind: 'member', variable, name });
    return `member-${at}`;
  });
  const tokens = tokenize(lines.filter((line) => !line.startsWith('#')).join('\n'));
  if (tokens === null) return null;
  let line: Token[] = [];
  for (const token of [...tokens, { operator: '\n' } as const]) {
    if (!('operator' in token) || token.operator === '|') {
      line.push(token);
      continue;
    }
    const [first] = line;
    if (first === undefined) continue;
    const step = members.get('word' in first ? textOf(first.word) : '') ?? readLine(line);
    if (step === null) return null;
    steps.push(step);
    line = [];
  }
  return steps.some(({ kind }) => kind === 'request') ? steps : null;
}
