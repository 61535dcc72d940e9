import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';
import { createSemaphore, type SemaphoreOptions } from '@baobab/core';

/** Response of a thread to a job. A thread that responds with `isWorn` is not reused. */
export type Answer<Result> =
  | { readonly value: Result; readonly isWorn: boolean }
  | { readonly problem: string; readonly isWorn: boolean };

export interface WorkerPoolOptions extends Omit<SemaphoreOptions, 'running'> {
  readonly entry: URL;
  /** Maximum number of threads. */
  readonly size: number;
  /** Timeout of a job in milliseconds. A job that exceeds it is stopped together with its thread. */
  readonly limitMs: number;
  /** Milliseconds after which an idle thread ends and frees its memory. */
  readonly idleMs: number;
  readonly thread?: Pick<WorkerOptions, 'workerData' | 'execArgv'>;
  /**
   * Runs each thread as a process with only these environment variables, for native code that crashes, or that does not
   * return its memory.
   */
  readonly process?: Readonly<Record<string, string>>;
}

export interface WorkerPool<Job, Result> {
  /**
   * Runs a job on a thread, or queues it while all threads are busy. Rejects with a `JobFailure`, or with the `refusal`.
   *
   * @param transfer buffers to transfer to the thread instead of copying them
   */
  run(job: Job, transfer: readonly Transferable[]): Promise<Result>;
  /** Ends all threads. Running jobs fail with `closed`. */
  close(): Promise<void>;
}

/**
 * Cause of a job's failure: the job itself, its timeout, its memory, its thread, a signal to its process, or the end of
 * the pool.
 */
export type FailureReason = 'job' | 'time' | 'memory' | 'thread' | 'signal' | 'closed';

export class JobFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

interface Thread<Job, Result> {
  /** False once the thread has ended for any reason. */
  readonly isAlive: boolean;
  /** Rejects with a `JobFailure`. The thread cannot be reused, unless the reason is `job`. */
  run(job: Job, transfer: readonly Transferable[]): Promise<Answer<Result>>;
  end(): Promise<unknown>;
}

/** Maximum JavaScript heap of a thread in MB, without pixels. */
const MAX_HEAP_MB = 512;

const reasonOf = (error: unknown): FailureReason =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'thread';

/** Signals by which a terminal or a service manager stops a service, with all its processes. */
const STOP_SIGNALS: ReadonlySet<unknown> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

/** The part of a thread that a process has too. */
interface Runner {
  on(event: 'message' | 'error', listener: (value: unknown) => void): unknown;
  on(event: 'exit', listener: (code: unknown, signal?: unknown) => void): unknown;
  postMessage(job: unknown, transfer: readonly Transferable[]): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

function startProcess(entry: URL, env: Readonly<Record<string, string>>): Runner {
  const child = fork(fileURLToPath(entry), {
    serialization: 'advanced',
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    on: (event: string, listener: (...values: unknown[]) => void) => child.on(event, listener),
    // A failure to send is followed by an exit.
    postMessage: (job) => child.send(job as object, () => undefined),
    ref() {
      child.ref();
      child.channel?.ref();
    },
    unref() {
      child.unref();
      child.channel?.unref();
    },
    terminate() {
      child.ref();
      child.kill('SIGKILL');
      return exited;
    },
  };
}

function startRunner({ entry, thread, process: variables }: WorkerPoolOptions): Runner {
  if (variables !== undefined) return startProcess(entry, variables);
  return new Worker(entry, { ...thread, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
}

function startThread<Job, Result>(options: WorkerPoolOptions): Thread<Job, Result> {
  const { limitMs } = options;
  const worker = startRunner(options);
  // An idle thread does not keep the process alive.
  worker.unref();
  let settle: { done(answer: Answer<Result>): void; fail(failure: JobFailure): void } | null = null;
  worker.on('message', (answer) => settle?.done(answer as Answer<Result>));
  worker.on('error', (error) => settle?.fail(new JobFailure(reasonOf(error), 'the thread failed', error)));
  let isAlive = true;
  worker.on('exit', (code, signal) => {
    isAlive = false;
    const reason = STOP_SIGNALS.has(signal) ? 'signal' : 'thread';
    settle?.fail(new JobFailure(reason, `the thread ended with ${signal ?? code}`));
  });

  return {
    get isAlive() {
      return isAlive;
    },
    async run(job, transfer) {
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise((done, fail) => {
          settle = { done, fail };
          timer = setTimeout(() => fail(new JobFailure('time', `it took more than ${limitMs} ms`)), limitMs);
          worker.ref();
          worker.postMessage(job, transfer);
        });
      } finally {
        clearTimeout(timer);
        settle = null;
        worker.unref();
      }
    },
    async end() {
      settle?.fail(new JobFailure('closed', 'the pool was closed'));
      if (isAlive) await worker.terminate();
    },
  };
}

/** Creates a pool of threads that are started on demand and replaced when they end. */
export function createWorkerPool<Job, Result>(options: WorkerPoolOptions): WorkerPool<Job, Result> {
  const threads = new Set<Thread<Job, Result>>();
  const idle = new Map<Thread<Job, Result>, NodeJS.Timeout>();
  const semaphore = createSemaphore({ ...options, running: options.size });
  let isClosed = false;

  async function retire(thread: Thread<Job, Result>): Promise<void> {
    threads.delete(thread);
    await thread.end();
  }

  function take(): Thread<Job, Result> {
    for (const [thread, timer] of idle) {
      clearTimeout(timer);
      idle.delete(thread);
      if (thread.isAlive) return thread;
      threads.delete(thread);
    }
    const thread = startThread<Job, Result>(options);
    threads.add(thread);
    return thread;
  }

  function giveBack(thread: Thread<Job, Result>): void {
    const timer = setTimeout(() => {
      idle.delete(thread);
      retire(thread).catch(() => undefined);
    }, options.idleMs);
    idle.set(thread, timer.unref());
  }

  async function runNow(job: Job, transfer: readonly Transferable[]): Promise<Result> {
    if (isClosed) throw new JobFailure('closed', 'the pool was closed');
    const thread = take();
    let isWorn = true;
    try {
      const answer = await thread.run(job, transfer);
      isWorn = answer.isWorn;
      if ('problem' in answer) throw new JobFailure('job', answer.problem);
      return answer.value;
    } finally {
      if (isWorn || isClosed) await retire(thread);
      else giveBack(thread);
    }
  }

  /** A process that ignores signals does not yet do so when it starts. Its job gets another process. */
  async function runDespiteSignals(job: Job, transfer: readonly Transferable[]): Promise<Result> {
    try {
      return await runNow(job, transfer);
    } catch (error) {
      if (error instanceof JobFailure && error.reason === 'signal') return runDespiteSignals(job, transfer);
      throw error;
    }
  }

  return {
    run: (job, transfer) => semaphore.run(() => runDespiteSignals(job, transfer)),
    async close() {
      isClosed = true;
      for (const timer of idle.values()) clearTimeout(timer);
      idle.clear();
      await Promise.all(Array.from(threads, retire));
    },
  };
}
