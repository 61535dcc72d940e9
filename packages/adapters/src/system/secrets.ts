import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto';
import type { Secrets } from '@baobab/core';
import { createUuidGenerator } from './uuid.ts';

const ID_BYTES = 16;
const ID_LENGTH = 22;
const MAC_BYTES = 16;
const SIGNED_LENGTH = 44;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Secrets from Node's crypto. Each purpose has a key of its own, derived from `secretKey` (HKDF, RFC 5869), so that
 * a value made for one purpose is invalid for all others.
 */
export function createNodeSecrets(secretKey: string): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, 'baobab', purpose, 32));
  const signingKey = derive('session tokens');
  const digestKey = derive('digests');
  const encryptionKey = derive('encryption');

  const mac = (id: string) => createHmac('sha256', signingKey).update(id).digest().subarray(0, MAC_BYTES);

  return {
    uuid: createUuidGenerator(),
    // A byte has eight times as many values as the alphabet has characters, so all are equally likely.
    base32: (length) => Array.from(randomBytes(length), (byte) => BASE32.charAt(byte % BASE32.length)).join(''),
    digits: (length) => Array.from({ length }, () => randomInt(10)).join(''),
    token: () => randomBytes(ID_BYTES).toString('base64url'),
    sign: (id) => id + mac(id).toString('base64url'),
    unsign(signed) {
      if (signed.length !== SIGNED_LENGTH) return null;
      const id = signed.slice(0, ID_LENGTH);
      const claimed = Buffer.from(signed.slice(ID_LENGTH), 'base64url');
      if (claimed.length !== MAC_BYTES || !timingSafeEqual(claimed, mac(id))) return null;
      return id + claimed.toString('base64url') === signed ? id : null;
    },
    digest: (text) => createHmac('sha256', digestKey).update(text).digest('base64url'),
    fingerprint: (text) => createHash('sha256').update(text).digest('base64url'),
    encrypt(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      try {
        const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch {
        return null; // GCM reports data that was changed, or encrypted with another key
      }
    },
  };
}
