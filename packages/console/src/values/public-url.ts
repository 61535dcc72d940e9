/** Public address of the server, as stored in the settings. */
export interface PublicAddress {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

const PORTS = { 'http:': 80, 'https:': 443 } as const;

/** Parses an http(s) URL; null if it is invalid or has more than scheme, host and port. */
export function parsePublicUrl(text: string): PublicAddress | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, search, hash, username } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  if (pathname !== '/' || search !== '' || hash !== '' || username !== '') return null;
  return { host: hostname, port: port === '' ? PORTS[protocol] : Number(port), isSecure: protocol === 'https:' };
}
