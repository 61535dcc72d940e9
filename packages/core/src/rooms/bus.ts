import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';

/** Maximum length of a part, in characters, all ASCII. Postgres delivers notifications of less than 8,000 bytes. */
const PART_LENGTH = 7_000;
/** Time for which messages are collected, in milliseconds, so that many of them share a notification. */
const COLLECT_MS = 10;
/** Maximum length of the texts that wait to be sent. Beyond it messages are lost, as the channel permits. */
const MAX_WAITING = 4_194_304;

const PART = /^([\w-]+) (\d+) (\d+) (\d+) (.*)$/s;

const escaped = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

interface Assembly {
  readonly batch: number;
  readonly parts: string[];
}

export interface RoomBusDeps {
  readonly storage: Pick<Storage, 'signals' | 'announcer'>;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Name of this process among all nodes. */
  readonly node: string;
  /** @param message null if messages may have been lost */
  readonly hear: (node: string, message: unknown) => void;
  readonly lost: () => void;
}

/**
 * Sends messages to the other nodes over the signals of the storage, in the order of the calls. A message may be lost,
 * never duplicated. Messages are JSON values of any size; larger ones are sent in parts.
 */
export function createRoomBus({ storage, timers, logger, node, hear, lost }: RoomBusDeps) {
  const incoming = new Map<string, Assembly>();
  let waiting: string[] = [];
  let length = 0;
  let batch = 0;
  let isSending = false;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const text = `[${waiting.join()}]`;
      [waiting, length] = [[], 0];
      batch++;
      const count = Math.ceil(text.length / PART_LENGTH);
      for (let part = 0; part < count; part++) {
        const chunk = text.slice(part * PART_LENGTH, (part + 1) * PART_LENGTH);
        await storage.announcer.announce({ topic: 'rooms', key: `${node} ${batch} ${part} ${count} ${chunk}` });
      }
    }
  }

  async function flush(): Promise<void> {
    try {
      await sendAll();
    } catch (err) {
      logger.debug({ err }, 'messages of rooms not sent to other nodes');
    }
    isSending = false;
    if (waiting.length > 0) schedule();
  }

  function schedule(): void {
    if (isSending) return;
    isSending = true;
    timers.after(COLLECT_MS, () => void flush());
  }

  /** Returns the text of a batch that this part completes, or null. */
  function assemble(from: string, number: number, part: number, count: number, chunk: string): string | null {
    if (count === 1) return chunk;
    const known = incoming.get(from);
    const assembly = known?.batch === number ? known : { batch: number, parts: [] };
    if (part !== assembly.parts.length) {
      incoming.delete(from); // an earlier part was lost
      return null;
    }
    assembly.parts.push(chunk);
    incoming.set(from, assembly);
    if (assembly.parts.length < count) return null;
    incoming.delete(from);
    return assembly.parts.join('');
  }

  const unsubscribe = storage.signals.subscribe({
    topics: ['rooms'],
    hear(signal) {
      if (signal === null) {
        lost();
        return;
      }
      const [, from = node, number, part, count, chunk = ''] = PART.exec(signal.key) ?? [];
      if (from === node) return;
      const text = assemble(from, Number(number), Number(part), Number(count), chunk);
      if (text !== null) for (const message of JSON.parse(text)) hear(from, message);
    },
  });

  return {
    send(message: unknown): void {
      const text = escaped(JSON.stringify(message));
      if (length + text.length > MAX_WAITING) return;
      waiting.push(text);
      length += text.length;
      schedule();
    },
    /** Forgets an unfinished message of a node that has ended. */
    forget: (from: string) => void incoming.delete(from),
    dispose: unsubscribe,
  };
}
