import type { Call, Step, Word } from './shell.ts';

/** Stands for a variable inside a text. */
const MARK = '\u0001';
const marked = (word: Word) =>
  word.map((part) => ('text' in part ? part.text : `${MARK}${part.variable}${MARK}`)).join('');

const LINE = 76;

interface Syntax {
  readonly text: (marked: string) => string;
  readonly key: (name: string) => string;
  readonly constant: (value: boolean | null) => string;
}

const JAVASCRIPT: Syntax = {
  text: (value) =>
    value.includes(MARK)
      ? `\`${value.replace(/[`\\]/g, '\\$&').replace(new RegExp(`${MARK}(\\w+)${MARK}`, 'g'), (_all, name) => `\${${name}}`)}\``
      : `'${value.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`),
  constant: (value) => String(value),
};

const PYTHON: Syntax = {
  text: (value) => {
    const quoted = JSON.stringify(value.replaceAll(MARK, '\u0002')).replaceAll('\\u0002', MARK);
    if (!value.includes(MARK)) return quoted;
    const escaped = quoted.replaceAll('{', '{{').replaceAll('}', '}}');
    return `f${escaped.replace(new RegExp(`${MARK}(\\w+)${MARK}`, 'g'), '{$1}')}`;
  },
  key: (name) => JSON.stringify(name),
  constant: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
};

/** A text that is one variable needs no quotes. */
function textIn(syntax: Syntax, value: string): string {
  const [all, variable] = new RegExp(`^${MARK}(\\w+)${MARK}$`).exec(value) ?? [];
  return all === undefined || variable === undefined ? syntax.text(value) : variable;
}

/** Prints a JSON value, on one line where it fits. */
function print(syntax: Syntax, value: unknown, indent: string, used = 0): string {
  if (typeof value === 'string') return textIn(syntax, value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return syntax.constant(value === null ? null : value === true);
  const isList = Array.isArray(value);
  const inner = `${indent}${syntax === PYTHON ? '    ' : '  '}`;
  const members = (at: string) =>
    isList
      ? value.map((one) => print(syntax, one, at))
      : Object.entries(value).map(([key, one]) => `${syntax.key(key)}: ${print(syntax, one, at, key.length + 2)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members(inner).length === 0) return `${open}${close}`;
  const blank = isList || syntax === PYTHON ? '' : ' ';
  const short = `${open}${blank}${members(inner).join(', ')}${blank}${close}`;
  if (!short.includes('\n') && indent.length + used + short.length <= LINE) return short;
  return `${open}\n${members(inner)
    .map((one) => `${inner}${one},\n`)
    .join('')}${indent}${close}`;
}

/** The body as a value; undefined when it is no JSON. */
function jsonOf({ body, headers }: Call): unknown {
  const isJson = headers.some(([name, value]) => name === 'Content-Type' && marked(value) === 'application/json');
  if (body === null || !isJson) return undefined;
  try {
    return JSON.parse(marked(body));
  } catch {
    return undefined;
  }
}

/** A value that is printed as it is. */
class Code {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

function fields(entries: ReadonlyArray<readonly [string, string | Code]>, syntax: Syntax, indent: string): string {
  return entries
    .map(([name, value]) => `${indent}${name}${value instanceof Code ? value.code : textIn(syntax, value)},\n`)
    .join('');
}

function javaScriptCall(call: Call): string {
  const { method, url, query, headers, credentials, body } = call;
  const json = jsonOf(call);
  const lines: Array<readonly [string, Code]> = [];
  if (method !== 'GET') lines.push(['method: ', new Code(`'${method}'`)]);
  const shown = headers.map(([name, value]) => `${JAVASCRIPT.key(name)}: ${textIn(JAVASCRIPT, marked(value))}`);
  if (credentials !== null) {
    const pair = `${marked(credentials.name)}:${marked(credentials.password)}`;
    shown.push(`Authorization: \`Basic \${btoa(${textIn(JAVASCRIPT, pair)})}\``);
  }
  if (shown.length > 0) {
    const short = `{ ${shown.join(', ')} }`;
    const long = `{\n${shown.map((one) => `    ${one},\n`).join('')}  }`;
    lines.push(['headers: ', new Code(short.length < LINE - 12 ? short : long)]);
  }
  if (json !== undefined) lines.push(['body: ', new Code(`JSON.stringify(${print(JAVASCRIPT, json, '  ', 21)})`)]);
  else if (body !== null) lines.push(['body: ', new Code(textIn(JAVASCRIPT, marked(body)))]);
  const search = print(JAVASCRIPT, Object.fromEntries(query.map(([name, value]) => [name, marked(value)])), '');
  const [before, address] =
    query.length > 0
      ? [`const search = new URLSearchParams(${search});\n`, `${marked(url)}?${MARK}search${MARK}`]
      : ['', marked(url)];
  const options = lines.length > 0 ? `, {\n${fields(lines, JAVASCRIPT, '  ')}}` : '';
  return `${before}response = await fetch(${textIn(JAVASCRIPT, address)}${options});`;
}

const memberPath = (name: string) => (name === 'next' ? [name] : ['data', name]);

function javaScriptLines(step: Step): string[] {
  if (step.kind === 'assignment') {
    if (step.variable === 'JSON') return [];
    const value = marked(step.value).replace(/^X-SERVICE-APPCODE: /, '');
    return [`const ${step.variable} = ${textIn(JAVASCRIPT, value)};`];
  }
  if (step.kind === 'member') {
    const path = memberPath(step.name).map((name) => (/^\w+$/.test(name) ? `.${name}` : `['${name}']`));
    return [`const ${step.variable} = answer${path.join('')};`];
  }
  const lines = [javaScriptCall(step)];
  if (step.isKept) lines.push('const answer = await response.json();');
  if (step.shown === 'status') lines.push('console.log(response.status);');
  if (step.shown === 'answer') lines.push(`console.log(${step.isKept ? 'answer' : 'await response.json()'});`);
  return lines;
}

/** The steps in JavaScript, for a browser or Node. */
export function toJavaScript(steps: readonly Step[]): string {
  const text = `${steps.flatMap(javaScriptLines).join('\n')}\n`;
  const requests = steps.filter(({ kind }) => kind === 'request').length;
  return text.replace(/^response = /m, requests > 1 ? 'let response = ' : 'const response = ');
}

function pythonCall(call: Call): string {
  const { method, url, query, headers, credentials, body } = call;
  const json = jsonOf(call);
  const lines: Array<readonly [string, Code]> = [];
  const shown = headers.filter(([name]) => json === undefined || name !== 'Content-Type');
  const asObject = (entries: ReadonlyArray<readonly [string, Word]>) =>
    Object.fromEntries(entries.map(([name, value]) => [name, marked(value)]));
  if (query.length > 0) lines.push(['params=', new Code(print(PYTHON, asObject(query), '    ', 7))]);
  if (shown.length > 0) lines.push(['headers=', new Code(print(PYTHON, asObject(shown), '    ', 8))]);
  if (credentials !== null) {
    const pair = [credentials.name, credentials.password].map((word) => textIn(PYTHON, marked(word)));
    lines.push(['auth=', new Code(`(${pair.join(', ')})`)]);
  }
  if (json !== undefined) lines.push(['json=', new Code(print(PYTHON, json, '    ', 5))]);
  else if (body !== null) lines.push(['data=', new Code(textIn(PYTHON, marked(body)))]);
  const address = textIn(PYTHON, marked(url));
  const short = [address, ...lines.map(([name, { code }]) => `${name}${code}`)].join(', ');
  const start = `response = requests.${method.toLowerCase()}(`;
  if (!short.includes('\n') && start.length + short.length < LINE) return `${start}${short})`;
  return `${start}\n    ${address},\n${fields(lines, PYTHON, '    ')})`;
}

/** The steps in Python, with the library requests. */
export function toPython(steps: readonly Step[]): string {
  const lines = steps.map((step) => {
    if (step.kind === 'assignment') {
      if (step.variable === 'JSON') return null;
      return `${step.variable} = ${textIn(PYTHON, marked(step.value).replace(/^X-SERVICE-APPCODE: /, ''))}`;
    }
    if (step.kind === 'member')
      return `${step.variable} = response.json()${memberPath(step.name)
        .map((name) => `["${name}"]`)
        .join('')}`;
    const shown = { answer: '\nprint(response.json())', status: '\nprint(response.status_code)', nothing: '' }[
      step.shown
    ];
    return pythonCall(step) + shown;
  });
  const all = lines.filter((line) => line !== null);
  return `${steps.some(({ kind }) => kind === 'assignment') ? 'import requests\n\n' : ''}${all.join('\n')}\n`;
}
