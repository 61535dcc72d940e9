/** The address at which browsers reach the service, as the settings keep it. */
export interface PublicAddress {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

const PORTS = { 'http:': 80, 'https:': 443 } as const;

/** Null for a text that is no http address, or one with more than scheme, host and port. */
export function parsePublicUrl(text: string): PublicAddress | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, search, hash, username } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  if (pathname !== '/' || search !== '' || hash !== '' || username !== '') return null;
  return { host: hostname, port: port === '' ? PORTS[protocol] : Number(port), isSecure: protocol === 'https:' };
}
