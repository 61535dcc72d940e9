import type { AuditEvent, AuditSink } from '@baobab/core';

/** A sink that keeps the newest events, for tests and for trying things out. */
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
