import type { AuditParty } from '../ports/audit.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { AuditLink, AuditSeal, NewAuditRecord } from '../ports/storage/audit.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { impersonal } from './audit.ts';

/** Number of events that join the chain in one transaction. */
const BATCH = 200;
/** Maximum number of batches per run. The rest waits for the next run. */
const MAX_BATCHES = 500;

/**
 * Creates a function that returns the hash of an event: SHA-256, as base64url, of the previous hash and everything
 * stored for the event, as JSON; of users their seals. Stored hashes depend on it, so it must not change.
 */
export function auditHash({ fingerprint }: Pick<Secrets, 'fingerprint'>) {
  return ({ id, at, act, by, to, network, details, seals }: NewAuditRecord, { number, hash }: AuditLink): string => {
    const covered = (party: AuditParty | null, seal: AuditSeal | null) =>
      seal === null ? [party?.kind ?? null, party?.id ?? null, party?.name ?? null] : ['user', seal.digest];
    const entries = Object.entries(seals.to === null ? details : impersonal({ act, details })).sort(([one], [other]) =>
      one < other ? -1 : 1,
    );
    const content = [hash, number + 1, id, at, act, covered(by, seals.by), covered(to, seals.to), network, entries];
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
