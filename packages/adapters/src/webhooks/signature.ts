import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const createSecret = () => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export interface SignedContent {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns one signature of the Standard Webhooks specification: `v1,` and an HMAC-SHA256. */
function signature(secret: string, { id, timestamp, body }: SignedContent): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** Returns the headers of a signed message, with a signature per secret. */
export function signedHeaders(secrets: readonly string[], content: SignedContent): Record<string, string> {
  return {
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestamp),
    'webhook-signature': secrets.map((secret) => signature(secret, content)).join(' '),
  };
}
