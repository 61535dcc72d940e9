import type { AuditEvent } from '../ports/audit.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { NewAuditRecord } from '../ports/storage/audit.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { BURST_WINDOW_MS, createBursts } from './bursts.ts';

/** Maximum number of events waiting to be stored. Further ones are lost, so that a slow database cannot fill memory. */
const MAX_WAITING = 1_000;
/** Number of events stored by one statement. */
const BATCH = 100;

export interface AuditRecordingDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly timers: Timers;
}

/**
 * Stores events outside of transactions, after the request. @param lose called with the number of events that were not
 * stored
 */
export function createAuditRecording(
  { storage, secrets, timers }: AuditRecordingDeps,
  lose: (error: unknown, events: number) => void,
) {
  const bursts = createBursts();
  let waiting: NewAuditRecord[] = [];
  let storing: Promise<void> | null = null;
  let cancelWindow: (() => void) | null = null;

  async function storeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      try {
        await storage.audit.add(batch);
      } catch (error) {
        lose(error, batch.length);
      }
    }
    storing = null;
  }

  const recordOf = (event: AuditEvent): NewAuditRecord => ({ ...event, id: secrets.uuid(event.at) });

  function store(event: AuditEvent): void {
    if (waiting.length >= MAX_WAITING) {
      lose(new Error(`${MAX_WAITING} events wait to be stored`), 1);
      return;
    }
    waiting.push(recordOf(event));
    storing ??= storeWaiting();
  }

  function endWindow(): void {
    cancelWindow?.();
    cancelWindow = null;
    for (const event of bursts.end()) store(event);
  }

  return {
    recordOf,
    store,

    /** Stores events that anonymous clients can cause. If there are many, only their number is stored. */
    storeBounded(event: AuditEvent): void {
      cancelWindow ??= timers.after(BURST_WINDOW_MS, endWindow);
      if (bursts.admit(event)) store(event);
    },

    /** Resolves when everything is stored, or lost, except what is only counted until its window ends. */
    async stored(): Promise<void> {
      await storing;
    },

    /** Resolves when everything is stored, or lost. */
    async settled(): Promise<void> {
      endWindow();
      await storing;
    },
  };
}
