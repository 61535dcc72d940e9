import type { Totp } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';

/** `12345678901234567890`, the secret of RFC 6238, appendix B. */
const SECRET = 'GEZD GNBV GY3T QOJQ'.replaceAll(' ', '').repeat(2);
/** Times in seconds, and the last six digits of the code for SHA-1. */
const VECTORS = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;
const STEP = 30;

export function totpContract(name: string, open: () => Totp): void {
  describe(`TOTP contract: ${name}`, PATIENT, () => {
    const totp = open();

    it.each(VECTORS)('knows the code of RFC 6238 at %i seconds', (seconds, code) => {
      expect(totp.stepOf(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / STEP));
    });

    it.each(VECTORS)('accepts the code of %i seconds one step early and one step late, and no further', (at, code) => {
      const step = Math.floor(at / STEP);
      const first = step * STEP;
      for (const seconds of [first - STEP, first, first + STEP - 1, first + 2 * STEP - 1]) {
        expect(totp.stepOf(SECRET, code, seconds * 1000)).toBe(step);
      }
      for (const seconds of [first - STEP - 1, first + 2 * STEP]) {
        if (seconds > 0) expect(totp.stepOf(SECRET, code, seconds * 1000)).toBeNull();
      }
    });

    it('accepts a code with the spaces that apps show', () => {
      expect(totp.stepOf(SECRET, ' 287 082 ', 59_000)).toBe(1);
    });

    it.each([
      '',
      '0',
      '28708',
      '2870820',
      '94287082',
      '28708a',
      '287082\0',
      '+28708',
      '2.8e5',
      '٢٨٧٠٨٢',
      '287082,081804',
    ])('refuses %j', (code) => {
      expect(totp.stepOf(SECRET, code, 59_000)).toBeNull();
    });

    it('refuses the code of another secret', () => {
      expect(totp.stepOf('A'.repeat(32), '287082', 59_000)).toBeNull();
    });

    it('makes a URI from which an app reads secret, issuer and account, whatever they contain', () => {
      const labels = { issuer: 'My App & Söhne: 100%', account: 'zoë/漢 字?#@example.org' };
      const uri = new URL(totp.uri({ secret: SECRET, ...labels }));
      expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
      expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret: SECRET, issuer: labels.issuer });
      expect(decodeURIComponent(uri.pathname.slice(1))).toContain(labels.account);
    });
  });
}
