/** One fenced block of a document. */
export interface Fence {
  /** Where it begins in the document, from 1. */
  readonly line: number;
  /** All that stands behind the opening marks. */
  readonly info: string;
  /** What is in it, without the indentation of the marks. */
  readonly text: string;
}

/** The fenced blocks of a document in their order, also those in lists. */
export function fences(markdown: string): Fence[] {
  const found: Fence[] = [];
  for (const match of markdown.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)) {
    const [, indent = '', info = '', text = ''] = match;
    const lines = text.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    found.push({ line: markdown.slice(0, match.index).split('\n').length, info: info.trim(), text: lines.join('\n') });
  }
  return found;
}

/**
 * What becomes of a block of shell commands:
 *
 * - `run`: ` ```sh `, typed into a shell while the service runs;
 * - `start`: ` ```sh start `, typed where the service runs, which it (re)starts;
 * - `stopped`: ` ```sh stopped `, typed after the service was stopped;
 * - `not-run`: ` ```sh not-run: <why> `, not executed.
 */
export type ShellKind = 'run' | 'start' | 'stopped' | 'not-run';

/** Null for what is no shell. @throws for words behind `sh` that mean nothing, and for a `not-run` without a reason */
export function shellKind({ info, line }: Fence): ShellKind | null {
  if (info === 'sh') return 'run';
  if (!/^(?:sh|bash|shell|console|zsh)\b/.test(info)) return null;
  const [, kind] = /^sh (start|stopped|not-run(?=: \S+ \S+))/.exec(info) ?? [];
  if (kind === undefined) throw new Error(`line ${line}: "${info}" says nothing of what becomes of these commands`);
  return kind as ShellKind;
}

export const isOutput = ({ info }: Fence) => info === 'json' || info === 'text';

/** Commands, and what the document says comes out of them. */
export interface Step {
  readonly line: number;
  readonly kind: Exclude<ShellKind, 'not-run'>;
  readonly commands: string;
  /** The block of `json` or `text` right behind the commands; empty without one. */
  readonly output: string;
}

/** What is typed, in the order of the document. */
export function stepsOf(markdown: string): Step[] {
  const all = fences(markdown);
  return all.flatMap((fence, index): Step[] => {
    const kind = shellKind(fence);
    if (kind === null || kind === 'not-run') return [];
    const next = all[index + 1];
    const output = next !== undefined && isOutput(next) ? next.text : '';
    return [{ line: fence.line, kind, commands: fence.text, output }];
  });
}
