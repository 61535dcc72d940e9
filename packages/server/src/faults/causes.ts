import { isAppError } from '@baobab/core';

/** What a failure is at its root, as drivers and Node report it. */
export interface RootCause {
  /** A code of the system, an SQLSTATE, or SQLite's result code; empty when there is none. */
  readonly code: string;
  readonly message: string;
  /** The file or folder that it is about, if any. */
  readonly path: string | null;
  /** The port that it is about, if any. */
  readonly port: number | null;
}

const of = (error: Error, name: string): unknown =>
  name in error ? (error as Error & Record<string, unknown>)[name] : undefined;

/** SQLite's own primary result code, which the driver keeps apart from its own code. */
function sqliteCode(error: Error): string | null {
  const code = of(error, 'errcode');
  return typeof code === 'number' ? `SQLITE_${code & 0xff}` : null;
}

/** Node reports attempts on several addresses of one host as one error. */
const firstOf = (error: Error): Error =>
  error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;

/** The error that began it: the cause of the cause, to the end. */
function rootOf(error: Error): Error {
  let root = error;
  while (isAppError(root) && root.cause instanceof Error) root = root.cause;
  return firstOf(root);
}

/** @returns null when it is not an error */
export function rootCause(error: unknown): RootCause | null {
  if (!(error instanceof Error)) return null;
  const root = rootOf(error);
  const [code, path, port] = [of(root, 'code'), of(root, 'path'), of(root, 'port')];
  return {
    code: sqliteCode(root) ?? (typeof code === 'string' ? code : ''),
    message: root.message || String(code ?? root.name),
    path: typeof path === 'string' ? path : null,
    port: typeof port === 'number' ? port : null,
  };
}
