import { isUtf8 } from 'node:buffer';
import { parseEnv } from 'node:util';
import { ConfigError } from './config-error.ts';

/** Variable in a `.env` file. */
export interface EnvEntry {
  readonly name: string;
  readonly value: string;
  /** Line number where it begins, from 1. */
  readonly line: number;
}

/** Node reads these before it runs a program, so setting them in a file has no effect. */
const READ_BY_NODE: ReadonlySet<string> = new Set(['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE']);

const BLANK = /^\s*(?:#.*)?$/;
const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/;
/** Pattern of the end of a quoted value and the text that may follow it. */
const END = { '"': /^[^"]*"\s*(?:#.*)?$/, "'": /^[^']*'\s*(?:#.*)?$/, '`': /^[^`]*`\s*(?:#.*)?$/ } as const;
const QUOTE = /^["'`]/;
const TYPOGRAPHIC = /^[“”„‘’‚«»]/;
/** A comment begins after a space, as in shells and Docker Compose; elsewhere, `#` is part of the value. */
const COMMENT = /(?:^|\s)#.*$/;

const isQuote = (text: string): text is keyof typeof END => text in END;

/** Explains the problem with a line that is not an assignment. */
function misunderstood(line: string): string {
  if (/^\s*set\s/i.test(line)) return 'remove "set", which belongs to the Windows command prompt: NAME=value';
  if (/^\s*\$env:/i.test(line)) return 'remove "$env:", which belongs to PowerShell: NAME=value';
  if (/^\s*[A-Za-z_]\w*\s*:/.test(line)) return 'write = instead of the colon: NAME=value';
  return 'expected NAME=value, or # before a comment';
}

/** Decodes a text file. @throws `ConfigError` for an encoding other than UTF-8 */
export function decodeText(bytes: Uint8Array, path: string): string {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || bytes.includes(0)) throw new ConfigError([`${path} is encoded in UTF-16; save it as UTF-8`]);
  if (!isUtf8(bytes)) throw new ConfigError([`${path} is not encoded in UTF-8; save it as UTF-8`]);
  return new TextDecoder().decode(bytes); // Drops a byte order mark.
}

/** Reads the variables of a file line by line, and collects problems. */
function createReader(path: string, lines: readonly string[]) {
  const entries = new Map<string, EnvEntry>();
  const problems: string[] = [];
  const problem = (at: number, text: string) => problems.push(`${path}, line ${at + 1}: ${text}`);

  function add(at: number, name: string, value: string): void {
    const earlier = entries.get(name);
    if (READ_BY_NODE.has(name)) {
      problem(at, `${name} has no effect here, because Node reads it before this file; set it in the environment`);
    } else if (earlier !== undefined) {
      problem(at, `${name} is already set in line ${earlier.line}; remove one of the two lines`);
    } else entries.set(name, { name, value, line: at + 1 });
  }

  /** Reads a quoted value, which may span lines. Returns the index of its last line. */
  function addQuoted(at: number, name: string, begin: string, quote: keyof typeof END): number {
    let end = at;
    let rest = begin.slice(1);
    while (!rest.includes(quote) && end + 1 < lines.length) rest = lines[++end] ?? '';
    if (!rest.includes(quote)) {
      problem(at, `the quote of ${name} is not closed`);
      return at;
    }
    if (!END[quote].test(rest)) problem(end, `text follows the closing quote of ${name}`);
    else add(at, name, parseEnv([`${name}=${begin}`, ...lines.slice(at + 1, end + 1)].join('\n'))[name] ?? '');
    return end;
  }

  /** Reads the variable that begins on a line. Returns the index of its last line. */
  function readLine(at: number): number {
    const line = lines[at] ?? '';
    if (BLANK.test(line)) return at;
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined) problem(at, misunderstood(line));
    else if (TYPOGRAPHIC.test(value)) problem(at, `the quotes around ${name} are typographic; use " or '`);
    else {
      const quote = QUOTE.exec(value)?.[0] ?? '';
      if (isQuote(quote)) return addQuoted(at, name, value, quote);
      add(at, name, value.replace(COMMENT, '').trim());
    }
    return at;
  }

  return { entries, problems, readLine };
}

/**
 * Parses a `.env` file from any editor. Messages never contain values.
 *
 * @throws `ConfigError` with each line that is invalid or has no effect
 */
export function parseEnvFile(bytes: Uint8Array, path: string): readonly EnvEntry[] {
  const lines = decodeText(bytes, path).split(/\r\n|\n|\r/);
  const { entries, problems, readLine } = createReader(path, lines);
  let at = 0;
  while (at < lines.length) at = readLine(at) + 1;
  if (problems.length > 0) throw new ConfigError(problems);
  return [...entries.values()];
}
