import { type ChildProcess, spawn } from 'node:child_process';
import { freePort } from '../../tests/support/ports.ts';
import { COMPILED, PROGRAM } from '../../tests/support/program.ts';
import { untilServing } from '../measure/processes.ts';

/** A node of the server in a separate process, always on the same port. */
export interface Node {
  readonly url: string;
  isUp(): boolean;
  pid(): number;
  /** Resolves when the node is ready. */
  start(): Promise<void>;
  /** Resolves when the process has ended by SIGKILL. */
  kill(): Promise<void>;
  /** Returns the end of its log, with warnings and errors. */
  log(): string;
}

const KEPT_LOG = 20_000;
/** Maximum start time. After a crash, the database first replays its log. */
const START_LIMIT_MS = 5 * 60_000;

export async function createNode(environment: Readonly<Record<string, string>>): Promise<Node> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  let isUp = false;
  let log = '';
  process.on('exit', () => child?.kill('SIGKILL'));

  return {
    url,
    isUp: () => isUp,
    pid: () => child?.pid ?? 0,
    async start() {
      const started = spawn(process.execPath, [PROGRAM], {
        env: { ...COMPILED, HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...environment, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk) => {
          log = (log + chunk).slice(-KEPT_LOG);
        });
      }
      await untilServing(`${url}/health/ready`, started, START_LIMIT_MS).catch((error) => {
        throw new Error(`${error.message}:\n${log}`);
      });
      isUp = true;
    },
    async kill() {
      isUp = false;
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
    log: () => log,
  };
}
