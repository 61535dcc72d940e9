import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from './databases.ts';

interface Ran {
  /** Output on both streams. */
  readonly output: string;
  /** Exit code of the last command. */
  readonly status: number;
}

export interface Shell {
  /** Runs commands as if typed; variables and functions persist. */
  run(commands: string): Promise<Ran>;
  close(): void;
}

const END = '<<the end of the step>>';

/** Opens one shell for a whole document. */
export function openShell(cwd: string, env: Readonly<Record<string, string>>): Shell {
  const folder = createFolder();
  const step = join(folder.path, 'step.sh');
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true });
  shell.stdin.write('exec 2>&1\n');
  let output = '';
  let look: () => void = () => undefined;
  let ended = false;
  shell.once('exit', () => {
    ended = true;
    look();
  });
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    look();
  });
  return {
    run(commands) {
      output = '';
      return new Promise((resolve, reject) => {
        look = () => {
          const [, printed = '', status] = new RegExp(`^([\\s\\S]*)${END}(\\d+)\n`).exec(output) ?? [];
          if (status !== undefined) resolve({ output: printed, status: Number(status) });
          else if (ended) reject(new Error(`the shell exited:\n${output}`));
        };
        writeFileSync(step, commands);
        // From a file, so that a command cannot read later ones as its input.
        shell.stdin.write(`. ${step} </dev/null\nprintf '%s%s\\n' '${END}' $?\n`);
      });
    },
    close() {
      // Includes its background processes.
      if (shell.pid !== undefined && !ended) process.kill(-shell.pid, 'SIGKILL');
      folder.remove();
    },
  };
}
