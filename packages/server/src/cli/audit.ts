import { AppError, ArchiveError, type AuditLink, type AuditParty, type AuditRecord, wireDate } from '@baobab/core';
import { type AuditQuery, auditCursor, auditPage, shownAuditEvent } from '@baobab/http';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { countLine, moreLine, pageJson } from './listing.ts';
import { table } from './table.ts';

const nameOf = (party: AuditParty | null) => party?.name ?? party?.id ?? party?.kind ?? '';

const rowOf = ({ number, at, act, by, to, network, details }: AuditRecord) => [
  number,
  wireDate(at),
  act,
  nameOf(by),
  nameOf(to),
  network,
  JSON.stringify(details),
];

/** Lists the audit events, newest first. */
export async function listAudit(deps: CommandDeps, options: AuditQuery): Promise<void> {
  await administrate(deps, async ({ services, actor, config }) => {
    const { events, more } = await services.auditTrail.list(actor, auditPage(options, config));
    const next = auditCursor(events, more);
    const text =
      events.length === 0
        ? 'No matching audit events'
        : table(['number', 'time', 'act', 'by', 'to', 'network', 'details'], events.map(rowOf));
    const rows = events.map((event) => JSON.stringify(shownAuditEvent(event)));
    deps.output.print(text + moreLine(next), pageJson(rows, more, next));
  });
}

const LINK = /^(\d{1,15}):([\w-]{43})$/;

/** @throws `input.invalid` */
function linkIn(text: string): AuditLink {
  const [, number, hash] = LINK.exec(text) ?? [];
  if (number === undefined || hash === undefined) {
    throw new AppError('input.invalid', { detail: 'expected what "audit verify" printed earlier, such as 12:Kx4…' });
  }
  return { number: Number(number), hash };
}

/**
 * Recomputes the hashes of all audit events.
 *
 * @throws `ArchiveError` if an event was changed or is missing, or if the expected event is too old to be compared
 */
export async function verifyAudit(deps: CommandDeps, { contains }: { readonly contains?: string }): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const known = contains === undefined ? null : linkIn(contains);
    const { events, anchor, head, fault, isKnownRemoved } = await services.auditTrail.verify(actor, known);
    if (fault !== null) {
      throw new ArchiveError(`The audit events are not intact from number ${fault.number} on: ${fault.reason}`);
    }
    if (isKnownRemoved) {
      throw new ArchiveError(
        `Event ${known?.number} was removed because of its age, so it cannot be compared. The events from ${anchor.number + 1} on are intact`,
      );
    }
    const newest = `${head.number}:${head.hash}`;
    const intact = `${countLine(events, 'audit event is', 'audit events are')} intact`;
    const text = head.number === 0 ? intact : `${intact}. The newest: ${newest}`;
    deps.output.result(text, { events, removed: anchor.number, newest: head.number === 0 ? null : newest });
  });
}
