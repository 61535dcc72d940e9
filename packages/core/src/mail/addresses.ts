import type { SettingValues } from '../settings/catalogue.ts';

/** Returns the base URL for browsers. Never taken from a request, whose sender could make a link point elsewhere. */
export function baseUrl(values: SettingValues, fallback: string): string {
  const host = values['network.http.url'];
  if (host === '') return fallback;
  const scheme = values['network.http.ssl'] ? 'https' : 'http';
  const port = values['network.http.port'];
  return `${scheme}://${host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`;
}

/** Returns the sender of mails. It has a default, because some mail servers reject mail without one. */
export function senderOf(values: SettingValues, fallbackUrl: string): string {
  const [, host = 'localhost'] =
    /^https?:\/\/(?:[^/@]*@)?([^/:[\]]+|\[[^\]]+\])/.exec(baseUrl(values, fallbackUrl)) ?? [];
  return values['email.from'].trim() || `noreply@${host}`;
}
