import { createGuard, type Proxies } from '@baobab/adapters/outbound';
import type { OutboundHosts } from '@baobab/core';
import type { Config } from '../config.ts';

/** Access to addresses that administrators configure. */
export interface Outbound {
  /** True if the mail server and the OpenID provider may have private addresses. */
  readonly allowsPrivate: boolean;
  /** True if the mail password may be sent to other machines without encryption. */
  readonly allowsPlaintextAuth: boolean;
  /** Null for direct connections. */
  readonly proxies: Proxies | null;
}

export const outboundIn = ({ outboundPrivate, smtpPlaintextAuth, proxies }: Config): Outbound => ({
  allowsPrivate: outboundPrivate,
  allowsPlaintextAuth: smtpPlaintextAuth,
  proxies,
});

/** Access to hosts in settings. */
export function outboundHosts({ allowsPrivate }: Pick<Outbound, 'allowsPrivate'>): OutboundHosts {
  const guard = createGuard({ allowsPrivate, variable: 'OUTBOUND_PRIVATE' });
  return { problemOf: guard.currentProblemOf };
}
