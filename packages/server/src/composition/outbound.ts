import type { Proxies } from '@baobab/adapters/outbound';
import type { Config } from '../config.ts';

/** How what administrators configure is reached. */
export interface Outbound {
  /** Whether the mail server and the OpenID provider may have addresses that are not public. */
  readonly allowsPrivate: boolean;
  /** Whether the mail password may be sent to other machines without encryption. */
  readonly allowsPlaintextAuth: boolean;
  /** Null: everything is reached directly. */
  readonly proxies: Proxies | null;
}

export const outboundIn = ({ outboundPrivate, smtpPlaintextAuth, proxies }: Config): Outbound => ({
  allowsPrivate: outboundPrivate,
  allowsPlaintextAuth: smtpPlaintextAuth,
  proxies,
});
