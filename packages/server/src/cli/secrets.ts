import { existsSync } from 'node:fs';
import type { SealedCounts } from '@baobab/core';
import { parseConfig } from '../config.ts';
import { keyFileIn } from '../secret-key.ts';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { UsageError } from './usage-error.ts';

const listed = (counts: readonly SealedCounts[], state: 'previous' | 'unreadable') =>
  counts
    .filter((one) => one[state] > 0)
    .map((one) => `${one.kind} ${one[state]}`)
    .join(', ');

const sum = (counts: readonly SealedCounts[], state: 'current' | 'previous' | 'unreadable') =>
  counts.reduce((total, one) => total + one[state], 0);

function resultText(counts: readonly SealedCounts[]): string {
  const done = sum(counts, 'previous');
  const first =
    done === 0
      ? `Nothing to do: SECRET_KEY opens ${sum(counts, 'current')} values, SECRET_KEY_PREVIOUS none`
      : `Encrypted ${done} values with SECRET_KEY: ${listed(counts, 'previous')}`;
  const lost = listed(counts, 'unreadable');
  return lost === '' ? first : `${first}\nNeither key opens these: ${lost}`;
}

/** Re-encrypts with the current secret key the values encrypted with the previous one, also while servers run. */
export async function rotateSecrets(deps: CommandDeps): Promise<void> {
  const { env, host, output } = deps;
  const { secretKey, dataDir } = parseConfig(env);
  // A newly generated key would not match that of any server.
  if (secretKey === null && !existsSync(keyFileIn(dataDir))) {
    throw new UsageError(`SECRET_KEY is not set, and there is no ${keyFileIn(dataDir)}: set the key of the servers`);
  }
  await administrate(deps, async ({ services, actor }) => {
    const counts = await services.sealedValues.rotate(actor, (done) => output.status(() => `${done} values encrypted`));
    output.result(resultText(counts), {
      rotated: sum(counts, 'previous'),
      unreadable: sum(counts, 'unreadable'),
      counts,
    });
    if (sum(counts, 'unreadable') > 0) host.exitCode = 1;
  });
}
