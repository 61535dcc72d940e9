import type { Secrets } from '../ports/secrets.ts';
import type { AuditLink, NewAuditRecord } from '../ports/storage/audit.ts';
import type { Storage } from '../ports/storage/storage.ts';

/** Number of events that join the chain in one transaction. */
const BATCH = 200;
/** Maximum number of batches per run. The rest waits for the next run. */
const MAX_BATCHES = 500;

/**
 * Creates a function that returns the hash of an event: SHA-256, as base64url, of the previous hash and everything
 * stored for the event, as JSON. Stored hashes depend on it, so it must not change.
 */
export function auditHash({ fingerprint }: Pick<Secrets, 'fingerprint'>) {
  return ({ id, at, act, by, to, network, details }: NewAuditRecord, { number, hash }: AuditLink): string => {
    const target = to === null ? [null, null, null] : [to.kind, to.id, to.name];
    const entries = Object.entries(details).sort(([one], [other]) => (one < other ? -1 : 1));
    const content = [hash, number + 1, id, at, act, by.kind, by.id, by.name, ...target, network, entries];
    return fingerprint(JSON.stringify(content));
  };
}

/** Appends the waiting events to the chain. */
export async function chainEvents(
  { audit }: Pick<Storage, 'audit'>,
  secrets: Pick<Secrets, 'fingerprint'>,
): Promise<void> {
  const hashOf = auditHash(secrets);
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    if ((await audit.chain(hashOf, BATCH)) < BATCH) return;
  }
}
