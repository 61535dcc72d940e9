import { inspectPostgres, type PostgresFacts } from '@baobab/adapters/postgres';
import { checkMailServer, SMTP_SETTINGS } from '@baobab/adapters/smtp';
import type { Logger, ValuesOf } from '@baobab/core';
import type { Config } from '../config.ts';
import { adapters } from './adapters.ts';
import { compose } from './compose.ts';

export { inspectPostgres, type PostgresFacts };

/**
 * Connects and logs in to the mail server of these settings. Resolves to whether one is configured.
 *
 * @throws `mail.*`
 */
export function logInToMailServer(settings: object): Promise<boolean> {
  const values = settings as Readonly<Record<string, unknown>>;
  const keys = Object.keys(SMTP_SETTINGS.settings);
  return checkMailServer(Object.fromEntries(keys.map((key) => [key, values[key]])) as ValuesOf<typeof SMTP_SETTINGS>);
}

/**
 * Connects and logs in to the mail server of the stored settings. Resolves to whether one is configured.
 *
 * @throws `mail.*`, `storage.*`
 */
export async function inspectMail(config: Config, secretKey: string, logger: Logger): Promise<boolean> {
  const { database, publicUrl } = config;
  const backend = compose(
    adapters({ database, blobs: { kind: 'memory' }, secretKey, publicUrl: publicUrl ?? '', logger }),
  );
  try {
    return await logInToMailServer(await backend.services.settings.current());
  } finally {
    await backend.dispose();
  }
}
