import { spawn } from 'node:child_process';

/**
 * A process that runs scripts one after the other, each with separate variables. A process per script would be far
 * slower.
 */
export interface Interpreter {
  /** Resolves to the script's output on standard error. */
  run(script: string): Promise<string>;
  close(): void;
}

const END = '<<the end of the script>>';

/** Reads one script per line, as JSON. A module is evaluated once per URL, so each script gets a unique URL. */
const JAVASCRIPT = `
import { createInterface } from 'node:readline';
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const script = \`\${JSON.parse(line)}\\n// \${++count}\`;
  await import(\`data:text/javascript,\${encodeURIComponent(script)}\`).catch(console.error);
  process.stderr.write('${END}\\n');
}
`;

const PYTHON = `
import json, sys, traceback
for line in sys.stdin:
    try: exec(json.loads(line), {"__name__": "__main__"})
    except BaseException: traceback.print_exc()
    print("${END}", file=sys.stderr, flush=True)
`;

function open(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Interpreter {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  let look: () => void = () => undefined;
  let ended = false;
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
    look();
  });
  child.once('close', () => {
    ended = true;
    look();
  });
  return {
    run(script) {
      errors = '';
      return new Promise((resolve, reject) => {
        look = () => {
          if (errors.endsWith(`${END}\n`)) resolve(errors.slice(0, -END.length - 1));
          else if (ended) reject(new Error(`${command} ended:\n${errors}`));
        };
        child.stdin.write(`${JSON.stringify(script)}\n`);
        look();
      });
    },
    close: () => child.kill('SIGKILL'),
  };
}

/** Runs JavaScript modules. */
export const openNode = (): Interpreter => open(process.execPath, ['--input-type=module', '-e', JAVASCRIPT], {});

/** @param modules a folder of modules that scripts can import */
export const openPython = (modules: string): Interpreter =>
  open('python3', ['-c', PYTHON], { PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: '1' });
