/** A fenced block of a document. */
export interface Fence {
  /** Line in the document, from 1. */
  readonly line: number;
  /** Text after the opening fence. */
  readonly info: string;
  /** Content, without the indentation of the fence. */
  readonly text: string;
}

/** Returns the fenced blocks of a document in order, including those in lists. */
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
 * Kinds of shell blocks:
 *
 * - `run`: ` ```sh `, typed into a shell while the server runs;
 * - `start`: ` ```sh start `, typed in the server's terminal, which starts or restarts the server;
 * - `stopped`: ` ```sh stopped `, typed after the server was stopped;
 * - `not-run`: ` ```sh not-run: <why> `, not executed.
 */
export type ShellKind = 'run' | 'start' | 'stopped' | 'not-run';

/**
 * Returns null for blocks other than shell blocks. @throws Error for unknown words after `sh`, and for a `not-run`
 * without a reason
 */
export function shellKind({ info, line }: Fence): ShellKind | null {
  if (info === 'sh') return 'run';
  if (!/^(?:sh|bash|shell|console|zsh)\b/.test(info)) return null;
  const [, kind] = /^sh (start|stopped|not-run(?=: \S+ \S+))/.exec(info) ?? [];
  if (kind === undefined) throw new Error(`line ${line}: "${info}" does not say how to handle these commands`);
  return kind as ShellKind;
}

export const isOutput = ({ info }: Fence) => info === 'json' || info === 'text';

/** Commands, and their output according to the document. */
export interface Step {
  readonly line: number;
  readonly kind: Exclude<ShellKind, 'not-run'>;
  readonly commands: string;
  /** The block of `json` or `text` directly after the commands; empty without one. */
  readonly output: string;
}

/** Returns the commands in the order of the document. */
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
