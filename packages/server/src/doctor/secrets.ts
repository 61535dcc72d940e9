import { existsSync, readFileSync } from 'node:fs';
import type { SealedCounts } from '@baobab/core';
import type { Backend } from '../composition/compose.ts';
import { OPERATOR } from '../composition/operator.ts';
import { keyFileIn } from '../secret-key.ts';
import { type CheckContext, type Finding, fault, ok, skipped } from './check.ts';

/** Returns the secret key without creating one, or null if there is none yet. */
export function keyOf({ config: { secretKey, dataDir } }: CheckContext): string | null {
  if (secretKey !== null) return secretKey;
  const path = keyFileIn(dataDir);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

const listed = (counts: readonly SealedCounts[], state: 'previous' | 'unreadable') =>
  counts
    .filter((one) => one[state] > 0)
    .map((one) => `${one.kind} ${one[state]}`)
    .join(', ');

/** Checks that the known keys decrypt the encrypted values. */
export async function checkSecrets(context: CheckContext, backend: Backend | null): Promise<Finding[]> {
  if (backend === null) {
    return [skipped('Encrypted values are in the database, which has no schema yet or cannot be read')];
  }
  if (keyOf(context) === null) return [skipped('There is no secret key yet: the first start generates one')];
  return findingsOf(await backend.sealedValues.survey(OPERATOR));
}

/** Reports the values that this server's keys decrypt, and how to recover the rest. */
export function findingsOf(counts: readonly SealedCounts[]): Finding[] {
  const [former, lost] = [listed(counts, 'previous'), listed(counts, 'unreadable')];
  const findings: Finding[] = [];
  if (former !== '') {
    findings.push(
      fault(`Only SECRET_KEY_PREVIOUS opens these encrypted values: ${former}`, 'Run "baobab secrets rotate"'),
    );
  }
  if (lost !== '') {
    findings.push(
      fault(
        `No known key opens these encrypted values: ${lost}`,
        'Set SECRET_KEY_PREVIOUS to the key with which they were encrypted and run "baobab secrets rotate"; or set them again',
      ),
    );
  }
  if (findings.length > 0) return findings;
  const all = counts.reduce((total, { current }) => total + current, 0);
  return [ok(`SECRET_KEY opens every encrypted value (${all})`)];
}
