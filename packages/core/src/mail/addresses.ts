import type { SettingValues } from '../settings/catalogue.ts';

/**
 * The address at which browsers reach the service. Never taken from a request: its sender could make a link point
 * elsewhere.
 */
export function baseUrl(values: SettingValues, fallback: string): string {
  const host = values['network.http.url'];
  if (host === '') return fallback;
  const scheme = values['network.http.ssl'] ? 'https' : 'http';
  const port = values['network.http.port'];
  return `${scheme}://${host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`;
}

/** Some mail servers reject mail without a sender, so there is a default. */
export function senderOf(values: SettingValues, fallbackUrl: string): string {
  const [, host = 'localhost'] =
    /^https?:\/\/(?:[^/@]*@)?([^/:[\]]+|\[[^\]]+\])/.exec(baseUrl(values, fallbackUrl)) ?? [];
  return values['email.from'].trim() || `noreply@${host}`;
}
