import type { Signal, SignalRelay } from '@baobab/core';
import type { Numbers, Order, Report } from './messages.ts';

/** The primary does not answer any more when it is silent for so long. Milliseconds. */
const ANSWER_LIMIT_MS = 5_000;

/** What this process needs of the way to the primary; `process` of a worker has it. */
export interface Channel {
  readonly connected: boolean;
  send?(report: Report): unknown;
  on(event: 'message', listener: (order: Order) => void): unknown;
}

/** The other workers, as one of them sees them. */
export interface Colleagues {
  readonly relay: SignalRelay;
  /** The numbers of all workers, this one too; those that do not answer are missing. */
  gather(): Promise<readonly Numbers[]>;
  /** What to say when another one gathers. */
  onMeasure(measure: () => Promise<Numbers>): void;
  onStop(stop: () => void): void;
  ready(): void;
}

export function createColleagues(channel: Channel): Colleagues {
  const gathering = new Map<number, (numbers: readonly Numbers[]) => void>();
  let count = 0;
  let hear: (signal: Signal | null) => void = () => undefined;
  let measure: () => Promise<Numbers> = async () => [];
  let stop: () => void = () => undefined;

  function report(message: Report): void {
    if (channel.connected) channel.send?.(message);
  }

  channel.on('message', (order) => {
    switch (order.kind) {
      case 'stop':
        stop();
        break;
      case 'signal':
        hear(order.signal);
        break;
      case 'measure':
        measure().then(
          (numbers) => report({ kind: 'numbers', id: order.id, numbers }),
          () => report({ kind: 'numbers', id: order.id, numbers: [] }),
        );
        break;
      case 'gathered':
        gathering.get(order.id)?.(order.numbers);
        break;
    }
  });

  return {
    relay: {
      get live() {
        return channel.connected;
      },
      send: (signal) => report({ kind: 'signal', signal }),
      receive(listener) {
        hear = listener;
      },
    },
    gather() {
      const id = ++count;
      return new Promise((resolve) => {
        const finish = (numbers: readonly Numbers[]) => {
          clearTimeout(limit);
          gathering.delete(id);
          resolve(numbers);
        };
        const limit = setTimeout(() => finish([]), ANSWER_LIMIT_MS);
        gathering.set(id, finish);
        report({ kind: 'gather', id });
      });
    },
    onMeasure(read) {
      measure = read;
    },
    onStop(listener) {
      stop = listener;
    },
    ready: () => report({ kind: 'ready' }),
  };
}
