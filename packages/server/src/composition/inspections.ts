import { inspectPostgres, type PostgresFacts } from '@baobab/adapters/postgres';
import { checkMailServer, SMTP_SETTINGS } from '@baobab/adapters/smtp';
import { type BackupHealth, type Logger, lastReading, type SealedCounts, type ValuesOf } from '@baobab/core';
import type { Config } from '../config.ts';
import { adapters } from './adapters.ts';
import { type Backend, compose } from './compose.ts';
import { OPERATOR } from './operator.ts';
import { outboundIn } from './outbound.ts';

export { inspectPostgres, type PostgresFacts };

/** Runs `work` on the database and the store of backups, without blobs. */
async function inspecting<T>(
  { database, backups, publicUrl, previousSecretKey }: Config,
  secretKey: string,
  logger: Logger,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  const keys = { secretKey, previousSecretKey };
  const backend = compose(
    adapters({ database, blobs: { kind: 'memory' }, backups, ...keys, publicUrl: publicUrl ?? '', logger }),
  );
  try {
    return await work(backend);
  } finally {
    await backend.dispose();
  }
}

/** Counts encrypted values by the key that opens them. @throws `storage.*` */
export const inspectSecrets = (config: Config, secretKey: string, logger: Logger): Promise<SealedCounts[]> =>
  inspecting(config, secretKey, logger, ({ sealedValues }) => sealedValues.survey(OPERATOR));

/** Returns the last trusted reading of a server's clock; null before the first. @throws `storage.*` */
export const inspectClock = (config: Config, secretKey: string, logger: Logger): Promise<number | null> =>
  inspecting(config, secretKey, logger, ({ inspected }) => lastReading(inspected.storage));

/** Returns the state of scheduled backups; null without `BACKUP_URL`. @throws `storage.*`, `blobs.*` */
export const inspectBackups = (config: Config, secretKey: string, logger: Logger): Promise<BackupHealth | null> =>
  inspecting(config, secretKey, logger, ({ inspected }) => inspected.backups.health(OPERATOR));

/**
 * Connects and logs in to the mail server of these settings. Resolves to false if none is configured.
 *
 * @throws `mail.*`
 */
export function logInToMailServer(config: Config, settings: object): Promise<boolean> {
  const values = settings as Readonly<Record<string, unknown>>;
  const keys = Object.keys(SMTP_SETTINGS.settings);
  const own = Object.fromEntries(keys.map((key) => [key, values[key]])) as ValuesOf<typeof SMTP_SETTINGS>;
  return checkMailServer(own, outboundIn(config));
}

/**
 * Connects and logs in to the mail server of the stored settings. Resolves to false if none is configured.
 *
 * @throws `mail.*`, `storage.*`
 */
export const inspectMail = (config: Config, secretKey: string, logger: Logger): Promise<boolean> =>
  inspecting(config, secretKey, logger, async ({ inspected }) =>
    logInToMailServer(config, await inspected.settings.current()),
  );
