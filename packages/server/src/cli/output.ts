import { SingleBar } from 'cli-progress';

/** Where a command reports: lines for people, or one JSON object for programs. */
export interface Output {
  /** Reports the result: `text` for people, `data` for programs. */
  result(text: string, data: object): void;
  /** Reports progress. */
  readonly progress: (step: string, done: number, total: number) => void;
  /** Stops showing progress. */
  end(): void;
}

export function createOutput({ json }: { readonly json: boolean }): Output {
  let bar: SingleBar | null = null;
  let current = '';
  const isShown = !json && process.stderr.isTTY === true;

  function end(): void {
    bar?.stop();
    bar = null;
    current = '';
  }

  return {
    result(text, data) {
      end();
      process.stdout.write(json ? `${JSON.stringify(data)}\n` : `${text}\n`);
    },
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
    end,
  };
}
