import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SocialLink } from '../ports/storage/social-links.ts';
import { openTokens } from '../sessions/social-tokens.ts';
import { NO_DETAILS, type SocialDetails } from './details.ts';

/** A link as shown to its user. */
export interface SocialConnection {
  readonly username: string;
  readonly network: string;
  readonly personId: string;
  /** Token last sent by the client; empty if it was encrypted with another key. */
  readonly token: string;
  readonly secret: string;
  readonly details: SocialDetails;
}

/** Returns a link as its user sees it. */
export function shownConnection(
  { secrets, logger }: { readonly secrets: Secrets; readonly logger: Logger },
  username: string,
  { network, personId, sealed, details }: SocialLink,
): SocialConnection {
  const opened = openTokens(secrets, sealed);
  if (opened === null) logger.warn({ network }, 'stored social network tokens cannot be decrypted');
  const { token, secret } = opened ?? { token: '', secret: '' };
  return { username, network, personId, token, secret, details: { ...NO_DETAILS, ...JSON.parse(details) } };
}
