import type { AuditEvent, AuditSink } from '@baobab/core';

/** A sink that stores the newest events in memory, for tests and experiments. */
export interface MemoryAudit extends AuditSink {
  /** Oldest first. */
  readonly events: readonly AuditEvent[];
}

const MAX_KEPT = 1000;

export function createMemoryAudit(): MemoryAudit {
  const events: AuditEvent[] = [];
  return {
    events,
    async write(event) {
      events.push(structuredClone(event));
      if (events.length > MAX_KEPT) events.shift();
    },
  };
}
