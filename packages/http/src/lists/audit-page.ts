import {
  AppError,
  AUDIT_ACTS,
  type AuditAct,
  type AuditRecord,
  type AuditWanted,
  parseDate,
  wireDate,
} from '@baobab/core';
import type { Static } from 'typebox';
import type { AuditListQuery } from '../schemas/audit.ts';
import { cursorBounds, decodeCursor, encodeCursor, invalidCursor, type PageLimits } from './paging.ts';

/** Filter of audit events: the query of a request, or the options of a command. */
export type AuditQuery = Omit<Static<typeof AuditListQuery>, 'act'> & { readonly act?: string };

const isAct = (text: string): text is AuditAct => (AUDIT_ACTS as readonly string[]).includes(text);

function actIn(text: string | undefined): AuditAct | null {
  if (text === undefined) return null;
  if (isAct(text)) return text;
  throw new AppError('input.invalid', { detail: `act must be one of ${AUDIT_ACTS.join(', ')}`, input: 'act' });
}

const timeIn = (text: string | undefined, input: string) => (text === undefined ? null : parseDate(text, input));

function beforeIn(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const number = Number(decodeCursor(cursor, 'n'));
  if (!Number.isSafeInteger(number) || number < 1) throw invalidCursor();
  return number;
}

/** @throws `input.invalid` */
export function auditPage({ act, by, to, from, until, cursor, ...query }: AuditQuery, limits: PageLimits): AuditWanted {
  const filter = {
    act: actIn(act),
    by: by ?? null,
    to: to ?? null,
    from: timeIn(from, 'from'),
    until: timeIn(until, 'until'),
  };
  return { filter, before: beforeIn(cursor), limit: cursorBounds({ ...query }, limits).limit };
}

/** Returns the cursor after the last event of a page; null on the last page. */
export function auditCursor(events: readonly AuditRecord[], more: boolean): string | null {
  const last = events.at(-1);
  return more && last !== undefined ? encodeCursor('n', String(last.number)) : null;
}

export const shownAuditEvent = ({ number, at, act, by, to, network, details, hash }: AuditRecord) => ({
  number,
  at: wireDate(at),
  act,
  by,
  to,
  network,
  details,
  hash,
});
