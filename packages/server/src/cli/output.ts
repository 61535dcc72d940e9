import type { Host } from './host.ts';

/** Output of a command: lines for people, or one JSON object for programs. */
export interface Output {
  /** Reports the result: `text` for people, `data` for programs. */
  result(text: string, data: object): void;
  /** Reports a result. Programs receive the JSON text unchanged. */
  print(text: string, json: string): void;
  /** Shows the progress of a step, like `status`. */
  readonly progress: (step: string, done: number, total: number) => void;
  /** Shows one line that replaces the previous one. `text` is called only if it is shown. */
  readonly status: (text: () => string) => void;
  /** Stops showing progress. */
  end(): void;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly host: Host;
  /** Destination of the result, by default standard output. Progress goes to standard error. */
  readonly results?: NodeJS.WritableStream;
}

/** Update interval of the `status` line, in milliseconds. */
const STATUS_INTERVAL_MS = 200;
/** Moves to the first column and clears the line. */
const CLEAR_LINE = '\r\u001b[K';

export function createOutput({ json, host, results = host.stdout }: OutputOptions): Output {
  const { stderr } = host;
  let shown: number | null = null;
  const isShown = !json && stderr.isTTY === true;

  function end(): void {
    if (shown !== null) stderr.write(CLEAR_LINE);
    shown = null;
  }

  function print(text: string, data: string): void {
    end();
    results.write(`${json ? data : text}\n`);
  }

  function status(text: () => string): void {
    const now = performance.now();
    if (!isShown || (shown !== null && now - shown < STATUS_INTERVAL_MS)) return;
    shown = now;
    stderr.write(CLEAR_LINE + text());
  }

  return {
    result: (text, data) => print(text, JSON.stringify(data)),
    print,
    progress: (step, done, total) => status(() => `${step}: ${done} of ${total}`),
    status,
    end,
  };
}
