interface MayBeTerminal {
  readonly isTTY?: boolean;
}

/** What commands use of the process that they run in: `process` itself, or what a test puts in its place. */
export interface Host {
  readonly stdin: NodeJS.ReadableStream & MayBeTerminal;
  readonly stdout: NodeJS.WritableStream & MayBeTerminal;
  readonly stderr: NodeJS.WritableStream & MayBeTerminal;
  readonly cwd: () => string;
  exitCode?: number | string | null | undefined;
}
