import { createMemoryAudit, createMemoryStorage, type MemoryAudit } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemTimers } from '@baobab/adapters/system';
import type { Audit, AuditAct, AuditEvent } from '@baobab/core';
import { createAudit } from '@baobab/core';
import { silentLogger } from './logger.ts';

/** Creates an audit for use cases that run without a backend. */
export const testAudit = (auditSink = createMemoryAudit()): Audit =>
  createAudit({
    auditSink,
    storage: createMemoryStorage(),
    secrets: createNodeSecrets('audit'),
    timers: createSystemTimers(),
    clock: { now: Date.now },
    logger: silentLogger,
    gauges: { add: () => undefined },
  });

/** Returns the events recorded during `work`. */
export async function eventsOf({ events }: MemoryAudit, work: () => Promise<unknown>): Promise<readonly AuditEvent[]> {
  const before = events.length;
  await work();
  return events.slice(before);
}

/** Returns the newest event of an act. */
export function lastEvent({ events }: MemoryAudit, act: AuditAct): AuditEvent {
  const event = events.findLast((one) => one.act === act);
  if (event === undefined) throw new Error(`no event ${act}`);
  return event;
}
