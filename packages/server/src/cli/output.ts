import { SingleBar } from 'cli-progress';

/** Where a command reports: lines for people, or one JSON object for programs. */
export interface Output {
  /** Reports the result: `text` for people, `data` for programs. */
  result(text: string, data: object): void;
  /** Reports a result of which programs get this JSON text, unchanged. */
  print(text: string, json: string): void;
  /** Reports progress. */
  readonly progress: (step: string, done: number, total: number) => void;
  /** Shows one line that replaces the one before. `text` is called only when it is shown. */
  readonly status: (text: () => string) => void;
  /** Stops showing progress. */
  end(): void;
}

export interface OutputOptions {
  readonly json: boolean;
  /** Where the result goes; the standard output when absent. Progress goes to the standard error. */
  readonly results?: NodeJS.WritableStream;
}

/** How often the line of `status` changes. Milliseconds. */
const STATUS_INTERVAL_MS = 200;
/** Goes to the first column and clears the line. */
const CLEAR_LINE = '\r\u001b[K';

export function createOutput({ json, results = process.stdout }: OutputOptions): Output {
  let bar: SingleBar | null = null;
  let current = '';
  let shown: number | null = null;
  const isShown = !json && process.stderr.isTTY === true;

  function end(): void {
    bar?.stop();
    bar = null;
    current = '';
    if (shown !== null) process.stderr.write(CLEAR_LINE);
    shown = null;
  }

  function print(text: string, data: string): void {
    end();
    results.write(`${json ? data : text}\n`);
  }

  return {
    result: (text, data) => print(text, JSON.stringify(data)),
    print,
    progress(step, done, total) {
      if (!isShown) return;
      if (step !== current) {
        end();
        current = step;
        bar = new SingleBar({ format: `${step.padEnd(24)} {bar} {value}/{total}`, stream: process.stderr });
        bar.start(total, done);
      }
      bar?.setTotal(total);
      bar?.update(done);
    },
    status(text) {
      const now = performance.now();
      if (!isShown || (shown !== null && now - shown < STATUS_INTERVAL_MS)) return;
      shown = now;
      process.stderr.write(CLEAR_LINE + text());
    },
    end,
  };
}
