import { createRequire } from 'node:module';
import type { Totp } from '@baobab/core';
import type { TOTP } from 'otpauth';

const require = createRequire(import.meta.url);
/** Loaded when the first code is checked, because most servers have no users with two-factor authentication. */
const load = (): typeof import('otpauth') => require('otpauth');

/** Values that all authenticator apps support; several ignore other values in the URI. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const CODE = /^\d{6}$/;
/**
 * Number of steps before and after the current one (RFC 6238, section 5.2, recommends at most one for the network's
 * delay).
 */
const WINDOW = 1;

export function createTotp(): Totp {
  const from = (secret: string, labels: { readonly issuer?: string; readonly label?: string } = {}): TOTP => {
    const { TOTP, Secret } = load();
    return new TOTP({ ...PARAMETERS, ...labels, secret: Secret.fromBase32(secret) });
  };

  return {
    uri: ({ secret, issuer, account }) => from(secret, { issuer, label: account }).toString(),
    stepOf(secret, code, at) {
      const token = code.replaceAll(/\s/g, '');
      if (!CODE.test(token)) return null;
      const totp = from(secret);
      const delta = totp.validate({ token, timestamp: at, window: WINDOW });
      return delta === null ? null : totp.counter({ timestamp: at }) + delta;
    },
  };
}
