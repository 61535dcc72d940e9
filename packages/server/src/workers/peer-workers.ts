import type { Signal, SignalRelay } from '@baobab/core';
import { LEASE_MS, type Measured, type Numbers, type Order, type Report } from './messages.ts';
import { createScatterGather } from './scatter-gather.ts';

/** Timeout for answers of the primary, in milliseconds. */
const ANSWER_LIMIT_MS = 5_000;
/** Timeout of a barrier in milliseconds: the primary waits at most one lease after reading the question. */
const BARRIER_LIMIT_MS = 2 * LEASE_MS;
/** Less than the timeout of `/health/ready`, in milliseconds. */
const SERVING_LIMIT_MS = 1_500;
/** Delay between an answer and the next renewal of the lease, in milliseconds. */
const BEAT_MS = 500;

/** Part of a worker's `process` that communicates with the primary. */
export interface Channel {
  readonly connected: boolean;
  send?(report: Report): unknown;
  on(event: 'message', listener: (order: Order) => void): unknown;
}

/** The other workers of this node, as seen by one worker. */
export interface PeerWorkers {
  readonly relay: SignalRelay;
  /**
   * Returns the metrics of all workers, including this one, or their logged requests. Workers that do not answer are
   * missing.
   */
  gather(what?: Measured): Promise<readonly Numbers[]>;
  /** Sets the source of this worker's metrics, or of its logged requests, for requests from other workers. */
  onMeasure(measure: () => Promise<Numbers>, what?: Measured): void;
  /** Resolves to true if all workers are serving. */
  allServe(): Promise<boolean>;
  onStop(stop: () => void): void;
  ready(): void;
  /** Reports that this worker is about to end. */
  stopping(): void;
}

/** Id of the primary among those who answer. */
const PRIMARY = 0;

/** Creates questions to the primary, which resolve to `fallback` if no answer arrives within `limit` milliseconds. */
function createQuestions<T>(limit: number, fallback: T) {
  const { gather, answered } = createScatterGather<T>(limit);
  return {
    async ask(send: (id: number) => void): Promise<T> {
      const [answer = fallback] = await gather([PRIMARY], (_primary, id) => send(id));
      return answer;
    },
    answered: (id: number, answer: T) => answered(PRIMARY, id, answer),
  };
}

export function createPeerWorkers(channel: Channel): PeerWorkers {
  const gathering = createQuestions<readonly Numbers[]>(ANSWER_LIMIT_MS, []);
  const barriers = createQuestions<void>(BARRIER_LIMIT_MS, undefined);
  const serving = createQuestions<boolean>(SERVING_LIMIT_MS, false);
  /** End of the lease on caches, and time of its last request. */
  let leaseEnd = 0;
  let askedAt = 0;
  let hear: (signal: Signal | null) => void = () => undefined;
  const sources = new Map<Measured, () => Promise<Numbers>>();
  let stop: () => void = () => undefined;

  function report(message: Report): void {
    if (channel.connected) channel.send?.(message);
  }

  const measure = async (what: Measured): Promise<Numbers> => (await sources.get(what)?.()) ?? [];

  function beat(): void {
    askedAt = performance.now();
    report({ kind: 'beat' });
  }

  channel.on('message', (order) => {
    switch (order.kind) {
      case 'beat':
        leaseEnd = askedAt + LEASE_MS;
        setTimeout(beat, BEAT_MS).unref();
        break;
      case 'barrier':
        report({ kind: 'heard', id: order.id });
        break;
      case 'heard':
        barriers.answered(order.id, undefined);
        break;
      case 'serving':
        serving.answered(order.id, order.all);
        break;
      case 'stop':
        stop();
        break;
      case 'signal':
        hear(order.signal);
        break;
      case 'measure':
        measure(order.what).then(
          (numbers) => report({ kind: 'numbers', id: order.id, numbers }),
          () => report({ kind: 'numbers', id: order.id, numbers: [] }),
        );
        break;
      case 'gathered':
        gathering.answered(order.id, order.numbers);
        break;
    }
  });

  beat();
  return {
    relay: {
      get live() {
        return channel.connected && performance.now() < leaseEnd;
      },
      send: (signal) => report({ kind: 'signal', signal }),
      heard: () => barriers.ask((id) => report({ kind: 'barrier', id })),
      receive(listener) {
        hear = listener;
      },
    },
    gather: (what = 'metrics') => gathering.ask((id) => report({ kind: 'gather', id, what })),
    allServe: () => serving.ask((id) => report({ kind: 'serving', id })),
    onMeasure(read, what = 'metrics') {
      sources.set(what, read);
    },
    onStop(listener) {
      stop = listener;
    },
    ready: () => report({ kind: 'ready' }),
    stopping: () => report({ kind: 'stopping' }),
  };
}
