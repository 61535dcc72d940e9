import type { Secrets } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../any-text.ts';
import { PATIENT } from '../patience.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const NOW = 1_391_159_523_512;

/** Returns every text that differs from `text` in one character of the alphabet. */
function* mutations(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    for (const char of ALPHABET) if (char !== text[at]) yield text.slice(0, at) + char + text.slice(at + 1);
  }
}

export function secretsContract(name: string, open: (key: string, previousKey?: string) => Secrets): void {
  describe(`secrets contract: ${name}`, PATIENT, () => {
    const secrets = open('a key of at least thirty-two characters');
    const same = open('a key of at least thirty-two characters');
    const other = open('another key of at least thirty-two characters');

    describe('uuid', () => {
      it('is a UUIDv7 that contains the time', () => {
        const id = secrets.uuid(NOW);
        expect(id).toMatch(UUID_V7);
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(NOW);
      });

      it('ascends with every call, within a millisecond and when the clock goes back', () => {
        fc.assert(
          fc.property(fc.array(fc.integer({ min: NOW, max: NOW + 3 }), { maxLength: 200 }), (times) => {
            const fresh = open('k');
            const ids = times.map((time) => fresh.uuid(time));
            expect(ids.toSorted()).toEqual(ids);
            expect(new Set(ids).size).toBe(ids.length);
          }),
        );
      });

      it('ascends through 20,000 calls in one millisecond', () => {
        const ids = Array.from({ length: 20_000 }, () => secrets.uuid(NOW + 10));
        expect(ids.toSorted()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) if (!UUID_V7.test(id)) throw new Error(id);
      });

      it('differs between two generators at the same time', () => {
        const ids = [secrets, same, other].flatMap((one) => Array.from({ length: 100 }, () => one.uuid(NOW)));
        expect(new Set(ids).size).toBe(300);
      });
    });

    it('tokens are 22 base64url characters, never the same', () => {
      const tokens = Array.from({ length: 1000 }, () => secrets.token());
      for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
      expect(new Set(tokens).size).toBe(1000);
    });

    it('digits have the wanted length, and each is as likely as the others', () => {
      const texts = Array.from({ length: 2000 }, () => secrets.digits(6));
      for (const text of texts) expect(text).toMatch(/^\d{6}$/);
      for (const digit of '0123456789') {
        const count = texts.join('').split(digit).length - 1;
        expect(count).toBeGreaterThan(900); // 1200 on average, and nine standard deviations are 300
        expect(count).toBeLessThan(1500);
      }
    });

    it('Base32 texts have the wanted length and every character of the alphabet, and are never the same', () => {
      const texts = Array.from({ length: 1000 }, () => secrets.base32(16));
      for (const text of texts) expect(text).toMatch(/^[A-Z2-7]{16}$/);
      expect(new Set(texts).size).toBe(1000);
      expect(new Set(texts.join(''))).toEqual(new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'));
    });

    describe('signed ids', () => {
      it('are verified with the same key, and are the same each time', () => {
        for (let i = 0; i < 100; i++) {
          const id = secrets.token();
          expect(secrets.sign(id)).toBe(same.sign(id));
          expect(same.unsign(secrets.sign(id))).toBe(id);
        }
      });

      it('are refused with another key', () => {
        expect(other.unsign(secrets.sign(secrets.token()))).toBeNull();
      });

      it('are refused after any change of any one character', () => {
        const signed = secrets.sign(secrets.token());
        const accepted = [...mutations(signed)].filter((changed) => secrets.unsign(changed) !== null);
        expect(accepted).toEqual([]);
      });

      it('are refused when characters are missing, added or of another alphabet', () => {
        const signed = secrets.sign(secrets.token());
        const wrong = [
          '',
          signed.slice(1),
          signed.slice(0, -1),
          `${signed}A`,
          `${signed}=`,
          ` ${signed}`,
          `${signed} `,
        ];
        const standard = signed.replaceAll('-', '+').replaceAll('_', '/').slice(0, -1);
        for (const text of [...wrong, `${standard}=`, 'é'.repeat(44), '\0'.repeat(44)]) {
          expect(secrets.unsign(text)).toBeNull();
        }
      });

      it('cannot be combined from two others', () => {
        const [one, two] = [secrets.sign(secrets.token()), secrets.sign(secrets.token())];
        expect(secrets.unsign(one.slice(0, 22) + two.slice(22))).toBeNull();
      });
    });

    it('digests are equal only for equal texts with the same key', () => {
      fc.assert(
        fc.property(fc.string(), fc.string(), (a, b) => {
          expect(secrets.digest(a)).toBe(same.digest(a));
          expect(secrets.digest(a)).not.toBe(other.digest(a));
          expect(secrets.digest(a) === secrets.digest(b)).toBe(a === b);
        }),
      );
      expect(secrets.digest('open sesame')).not.toContain('open');
    });

    describe('encrypted texts', () => {
      it('are decrypted with the same key, whatever the text', () => {
        fc.assert(
          fc.property(anyText(), (text) => {
            expect(same.decrypt(secrets.encrypt(text))).toBe(text);
          }),
        );
      });

      it('are different each time', () => {
        expect(new Set(Array.from({ length: 100 }, () => secrets.encrypt('x'))).size).toBe(100);
      });

      it('are decrypted to null with another key and after any change', () => {
        const sealed = secrets.encrypt('open sesame');
        expect(other.decrypt(sealed)).toBeNull();
        const bytes = Buffer.from(sealed, 'base64url');
        for (let bit = 0; bit < bytes.length * 8; bit++) {
          const changed = Buffer.from(bytes);
          changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          expect(secrets.decrypt(changed.toString('base64url'))).toBeNull();
        }
      });

      it('are decrypted to null when they are not encrypted texts', () => {
        const sealed = secrets.encrypt('open sesame');
        for (const text of [
          '',
          'x',
          '***',
          sealed.slice(0, 20),
          sealed.slice(4),
          `${sealed}AAAA`,
          secrets.sign(secrets.token()),
        ]) {
          expect(secrets.decrypt(text)).toBeNull();
        }
      });
    });

    describe('concealed texts', () => {
      it('are revealed with the same key, and are different each time', () => {
        fc.assert(
          fc.property(anyText(), (text) => {
            expect(new Set([secrets, secrets, same].map((one) => one.conceal(text))).size).toBe(3);
            expect(same.reveal(secrets.conceal(text))).toBe(text);
          }),
        );
      });

      it('share no bytes, even for equal texts', () => {
        const texts = Array.from({ length: 1000 }, () => secrets.conceal('c00000000001'));
        expect(new Set(texts.map((text) => text.length)).size).toBe(1);
        for (const [from, to] of [
          [0, 16],
          [-16, undefined],
        ] as const) {
          expect(new Set(texts.map((text) => text.slice(from, to))).size).toBe(1000);
        }
        for (const text of texts) if (secrets.reveal(text) !== 'c00000000001') throw new Error(text);
      });

      it('do not show how much their texts differ', () => {
        const [one, two] = ['c00000000001', 'c00000000002'].map(secrets.conceal);
        expect(one).toHaveLength(two?.length ?? 0);
        expect(one?.slice(0, 8)).not.toBe(two?.slice(0, 8));
        expect(one?.slice(-8)).not.toBe(two?.slice(-8));
      });

      it('are revealed as null with another key and after any change', () => {
        const concealed = secrets.conceal('a cursor');
        expect(other.reveal(concealed)).toBeNull();
        expect([...mutations(concealed)].filter((changed) => secrets.reveal(changed) !== null)).toEqual([]);
        const encrypted = secrets.encrypt('a cursor');
        for (const text of ['', 'x', '0', `${concealed}=`, ` ${concealed}`, concealed.slice(4), encrypted]) {
          expect(secrets.reveal(text)).toBeNull();
        }
      });
    });

    describe('with a previous key', () => {
      const changed = open('another key of at least thirty-two characters', 'a key of at least thirty-two characters');

      it('accept what either key has made, and nothing else', () => {
        const third = open('a third key of at least thirty-two characters');
        const id = secrets.token();
        for (const one of [secrets, other]) {
          expect(changed.unsign(one.sign(id))).toBe(id);
          expect(changed.decrypt(one.encrypt('open sesame'))).toBe('open sesame');
          expect(changed.reveal(one.conceal('a cursor'))).toBe('a cursor');
        }
        expect(changed.unsign(third.sign(id))).toBeNull();
        expect(changed.decrypt(third.encrypt('open sesame'))).toBeNull();
        expect(changed.unsign(secrets.sign(id).slice(0, 22) + other.sign(secrets.token()).slice(22))).toBeNull();
      });

      it('make everything with the current key', () => {
        const id = secrets.token();
        expect(changed.sign(id)).toBe(other.sign(id));
        expect(changed.digest('x')).toBe(other.digest('x'));
        expect(other.reveal(changed.conceal('x'))).toBe('x');
        expect(secrets.reveal(changed.conceal('x'))).toBeNull();
        expect(other.decrypt(changed.encrypt('open sesame'))).toBe('open sesame');
        expect(secrets.decrypt(changed.encrypt('open sesame'))).toBeNull();
      });

      it('know every form of an id and of a digest, the current one first', () => {
        const id = secrets.token();
        expect(changed.signatures(id)).toEqual([other.sign(id), secrets.sign(id)]);
        expect(changed.digests('x')).toEqual([other.digest('x'), secrets.digest('x')]);
        expect(secrets.signatures(id)).toEqual([secrets.sign(id)]);
        expect(secrets.digests('x')).toEqual([secrets.digest('x')]);
        expect(changed.fingerprint('x')).toBe(secrets.fingerprint('x'));
      });

      it('tell what the current key opens', () => {
        expect(changed.isCurrent(other.encrypt('x'))).toBe(true);
        for (const text of [secrets.encrypt('x'), 'x', '', `${other.encrypt('x')}AAAA`]) {
          expect(changed.isCurrent(text)).toBe(false);
        }
      });
    });
  });
}
