import type { Cluster, Worker } from 'node:cluster';
import type { Logger } from '@baobab/core';
import { LEASE_MS, type Numbers, type Order, type Report } from './messages.ts';
import { createScatterGather } from './scatter-gather.ts';

/** A worker that exits within this time of its start is restarted with backoff. Milliseconds. */
const SHORT_LIFE_MS = 10_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

export interface PrimaryOptions {
  readonly cluster: Cluster;
  /** Number of workers. */
  readonly count: number;
  readonly logger: Logger;
  /** Called with the exit code if the server cannot start, or when the last worker has exited during a stop. */
  readonly end: (code: number) => void;
}

interface Exit {
  readonly id: number;
  readonly code: number | null;
  readonly signal: string | null;
  /** Milliseconds from its start to its exit. */
  readonly age: number;
}

/**
 * Returns the program's exit code for a worker's exit. A supervisor that signals the whole group may reach a worker
 * that does not listen for signals yet.
 */
const codeOf = ({ code, signal }: Exit) => (code === 0 || signal === 'SIGTERM' ? 0 : 1);

export interface Primary {
  /** Stops every worker after its requests in progress. */
  stop(): void;
  /** Kills every worker. */
  kill(): void;
}

/**
 * Keeps `count` workers running. The first one migrates the database and creates the administrator; the others start
 * when it is serving. Signals of one worker are relayed to the others.
 */
export function runPrimary({ cluster, count, logger, end }: PrimaryOptions): Primary {
  const metrics = createScatterGather<Numbers>();
  const barriers = createScatterGather<null>(LEASE_MS);
  const ready = new Set<number>();
  /** Latest end of each worker's lease on its caches. */
  const leases = new Map<number, number>();
  let hasServed = false;
  let isComplete = false;
  let stopping = false;
  let exitCode = 0;
  /** Wait before the next restart of a worker, in milliseconds. */
  let wait = FIRST_WAIT_MS;

  const running = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

  function order(worker: Worker, message: Order): void {
    // A disconnected worker is about to exit, which is a separate event.
    if (worker.isConnected()) worker.send(message, () => undefined);
  }

  function relay(signal: Extract<Order, { kind: 'signal' }>['signal'], from: Worker): void {
    for (const worker of running()) if (worker.id !== from.id) order(worker, { kind: 'signal', signal });
  }

  const hasLease = (id: number) => (leases.get(id) ?? 0) > performance.now();

  /** Returns the workers with a lease on their caches, except `asking`. */
  const trusting = (asking: Worker) => running().flatMap(({ id }) => (id !== asking.id && hasLease(id) ? [id] : []));

  const allServe = () => !stopping && ready.size >= count && [...ready].every(hasLease);

  function ask(id: number, question: Order, answers: Pick<typeof metrics, 'gone'>): void {
    const asked = cluster.workers?.[id];
    if (asked === undefined) answers.gone(id);
    else order(asked, question);
  }

  function fork(): void {
    const began = performance.now();
    const worker = cluster.fork();
    worker.on('message', (report: Report) => receive(worker, report));
    worker.on('error', (err) => logger.warn({ err, worker: worker.id }, 'worker unreachable'));
    worker.on('exit', (code, signal) => {
      metrics.gone(worker.id);
      barriers.gone(worker.id);
      leases.delete(worker.id);
      ready.delete(worker.id);
      // It may have committed a change without sending its signal.
      relay(null, worker);
      lost({ code, signal, id: worker.id, age: performance.now() - began });
    });
  }

  function receive(worker: Worker, report: Report): void {
    switch (report.kind) {
      case 'ready':
        becameReady(worker);
        break;
      case 'signal':
        relay(report.signal, worker);
        break;
      case 'stopping':
        ready.delete(worker.id);
        break;
      case 'beat':
        leases.set(worker.id, performance.now() + LEASE_MS);
        order(worker, { kind: 'beat' });
        break;
      case 'barrier':
        void barriers
          .gather(trusting(worker), (id, question) => ask(id, { kind: 'barrier', id: question }, barriers))
          .then(() => order(worker, { kind: 'heard', id: report.id }));
        break;
      case 'heard':
        barriers.answered(worker.id, report.id, null);
        break;
      case 'serving':
        order(worker, { kind: 'serving', id: report.id, all: allServe() });
        break;
      case 'gather':
        void metrics
          .gather([...ready], (id, question) => ask(id, { kind: 'measure', id: question, what: report.what }, metrics))
          .then((numbers) => order(worker, { kind: 'gathered', id: report.id, numbers }));
        break;
      case 'numbers':
        metrics.answered(worker.id, report.id, report.numbers);
        break;
    }
  }

  function becameReady(worker: Worker): void {
    ready.add(worker.id);
    if (stopping) return;
    if (!hasServed) {
      hasServed = true;
      for (let others = 1; others < count; others++) fork();
    }
    if (ready.size < count || isComplete) return;
    isComplete = true;
    logger.info({ workers: count }, 'all workers serve');
  }

  function lost(exit: Exit): void {
    if (stopping) {
      exitCode ||= codeOf(exit);
      if (running().length === 0) end(exitCode);
    } else if (hasServed) replace(exit);
    // It has already reported its error, and the next worker would report the same.
    else end(codeOf(exit));
  }

  function replace({ id, code, signal, age }: Exit): void {
    if (age >= SHORT_LIFE_MS) wait = FIRST_WAIT_MS;
    logger.warn({ worker: id, code, signal, wait }, 'worker exited, restarting');
    isComplete = false;
    setTimeout(() => {
      if (!stopping) fork();
    }, wait);
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }

  fork();
  return {
    stop() {
      stopping = true;
      const workers = running();
      for (const worker of workers) order(worker, { kind: 'stop' });
      if (workers.length === 0) end(0);
    },
    kill() {
      stopping = true;
      exitCode = 1;
      for (const worker of running()) worker.process.kill('SIGKILL');
    },
  };
}
