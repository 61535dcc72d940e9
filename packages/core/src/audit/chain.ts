import type { Secrets } from '../ports/secrets.ts';
import type { AuditLink, NewAuditRecord } from '../ports/storage/audit.ts';
import type { Storage } from '../ports/storage/storage.ts';

/** Events that join the chain in one transaction. */
const BATCH = 200;
/** Batches of one run; the rest waits for the next run. */
const MAX_BATCHES = 500;

/**
 * The hash of an event: SHA-256, as base64url, of the hash before it and everything that is stored of the event, as JSON.
 * Stored hashes depend on it, so it must not change.
 */
export function auditHash({ fingerprint }: Pick<Secrets, 'fingerprint'>) {
  return ({ id, at, act, by, to, network, details }: NewAuditRecord, { number, hash }: AuditLink): string => {
    const target = to === null ? [null, null, null] : [to.kind, to.id, to.name];
    const entries = Object.entries(details).sort(([one], [other]) => (one < other ? -1 : 1));
    const content = [hash, number + 1, id, at, act, by.kind, by.id, by.name, ...target, network, entries];
    return fingerprint(JSON.stringify(content));
  };
}

/** Appends the events that wait to the chain. */
export async function chainEvents(
  { audit }: Pick<Storage, 'audit'>,
  secrets: Pick<Secrets, 'fingerprint'>,
): Promise<void> {
  const hashOf = auditHash(secrets);
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    if ((await audit.chain(hashOf, BATCH)) < BATCH) return;
  }
}
