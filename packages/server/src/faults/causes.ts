import { isAppError } from '@baobab/core';

/** Root cause of a failure, as drivers and Node report it. */
export interface RootCause {
  /** System error code, SQLSTATE, or SQLite result code; empty without one. */
  readonly code: string;
  readonly message: string;
  /** Affected file or folder, if any. */
  readonly path: string | null;
  /** Variable with the URL of the server that cannot be reached, if known. */
  readonly variable: string | null;
  /** Affected port, if any. */
  readonly port: number | null;
}

const of = (error: Error, name: string): unknown =>
  name in error ? (error as Error & Record<string, unknown>)[name] : undefined;

/** Returns SQLite's primary result code, which the driver reports separately from its own code. */
function sqliteCode(error: Error): string | null {
  const code = of(error, 'errcode');
  return typeof code === 'number' ? `SQLITE_${code & 0xff}` : null;
}

/** Returns the first error of several: Node reports attempts on all addresses of a host as one. */
const firstOf = (error: Error): Error =>
  error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;

/** Follows the chain of causes to the original error. */
function rootOf(error: Error): Error {
  let root = error;
  while (isAppError(root) && root.cause instanceof Error) root = root.cause;
  return firstOf(root);
}

/** @returns null if it is not an error */
export function rootCause(error: unknown): RootCause | null {
  if (!(error instanceof Error)) return null;
  const root = rootOf(error);
  const [code, path, port, variable] = ['code', 'path', 'port', 'variable'].map((name) => of(root, name));
  return {
    code: sqliteCode(root) ?? (typeof code === 'string' ? code : ''),
    message: root.message || String(code ?? root.name),
    variable: typeof variable === 'string' ? variable : null,
    path: typeof path === 'string' ? path : null,
    port: typeof port === 'number' ? port : null,
  };
}
