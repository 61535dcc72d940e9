import { inspectPostgres, type PostgresFacts } from '@baobab/adapters/postgres';
import { checkMailServer, SMTP_SETTINGS } from '@baobab/adapters/smtp';
import type { ValuesOf } from '@baobab/core';
import type { Config } from '../config.ts';
import { outboundIn } from './outbound.ts';

export { inspectPostgres, type PostgresFacts };

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
