import type { AuditEvent, AuditSink } from '@baobab/core';
import { AUDIT_ACTS } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';

/** A sink with the events it has stored. */
export interface OpenedAudit {
  readonly sink: AuditSink;
  /** Returns the stored events, oldest first. */
  kept(): Promise<readonly AuditEvent[]> | readonly AuditEvent[];
  dispose?(): Promise<void>;
}

const EVENT: AuditEvent = {
  at: 1_391_159_523_512,
  act: 'user.role_changed',
  by: { kind: 'user', id: '0190a6a0-0000-7000-8000-000000000001', name: 'admin' },
  to: { kind: 'user', id: '0190a6a0-0000-7000-8000-000000000002', name: 'ann' },
  network: '192.0.2.0/24',
  details: { from: 'registereduser', to: 'editors' },
};

/** Contract of every sink of audit events. */
export function auditContract(name: string, open: () => Promise<OpenedAudit>): void {
  describe(`audit contract: ${name}`, PATIENT, () => {
    let opened: OpenedAudit;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => opened.dispose?.());

    it('keeps an event as it is', async () => {
      await opened.sink.write(EVENT);
      expect(await opened.kept()).toEqual([EVENT]);
    });

    it.each(AUDIT_ACTS)('takes %s', async (act) => {
      await opened.sink.write({ ...EVENT, act });
      expect((await opened.kept()).map((event) => event.act)).toEqual([act]);
    });

    it('keeps what is not known, and every kind of detail', async () => {
      const event: AuditEvent = {
        ...EVENT,
        by: { kind: 'anonymous', id: null, name: null },
        to: null,
        network: null,
        details: { text: '"\\\n\u0000 é漢', number: 1.5, flag: false, nothing: null },
      };
      await opened.sink.write(event);
      expect(await opened.kept()).toEqual([event]);
    });

    it('keeps events in the order of the calls, also when nobody waits in between', async () => {
      const events = Array.from({ length: 200 }, (_, at) => ({ ...EVENT, at }));
      await Promise.all(events.map((event) => opened.sink.write(event)));
      expect((await opened.kept()).map(({ at }) => at)).toEqual(events.map(({ at }) => at));
    });

    it('is not changed by what becomes of an object that it was given', async () => {
      const details: Record<string, string> = { from: 'editors' };
      await opened.sink.write({ ...EVENT, details });
      details.from = 'changed';
      expect((await opened.kept())[0]?.details).toEqual({ from: 'editors' });
    });

    it('works when `write` is called without its object', async () => {
      const { write } = opened.sink;
      await write(EVENT);
      expect(await opened.kept()).toHaveLength(1);
    });
  });
}
