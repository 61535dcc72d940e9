interface MayBeTerminal {
  readonly isTTY?: boolean;
}

/** Parts of the process that commands use: `process` itself, or a test double. */
export interface Host {
  readonly stdin: NodeJS.ReadableStream & MayBeTerminal;
  readonly stdout: NodeJS.WritableStream & MayBeTerminal;
  readonly stderr: NodeJS.WritableStream & MayBeTerminal;
  readonly cwd: () => string;
  exitCode?: number | string | null | undefined;
}
