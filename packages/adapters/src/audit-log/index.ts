import type { AuditSink, Logger } from '@baobab/core';

/** Writes each audit event as one line of the log, at the level `info`. */
export function createLogAuditSink(logger: Pick<Logger, 'info'>): AuditSink {
  return {
    async write({ at, act, by, to, network, details }) {
      logger.info({ audit: { at: new Date(at).toISOString(), act, by, to, network, details } }, 'audit');
    },
  };
}
