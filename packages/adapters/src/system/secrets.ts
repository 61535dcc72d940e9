import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
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

/** The keys that are derived from one secret key: as objects, because Node takes 20 µs to check one of plain bytes. */
function keysOf(secretKey: string) {
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, 'baobab', purpose, 32)));
  return { signing: derive('session tokens'), digest: derive('digests'), encryption: derive('encryption') };
}

type Keys = ReturnType<typeof keysOf>;

const macOf = ({ signing }: Keys, id: string) =>
  createHmac('sha256', signing).update(id).digest().subarray(0, MAC_BYTES);

const signedWith = (keys: Keys, id: string) => id + macOf(keys, id).toString('base64url');

const digestWith = ({ digest }: Keys, text: string) => createHmac('sha256', digest).update(text).digest('base64url');

function decryptWith({ encryption }: Keys, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv('aes-256-gcm', encryption, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null; // GCM reports data that was changed, or encrypted with another key
  }
}

/**
 * Secrets from Node's crypto. Each purpose has a key of its own, derived from `secretKey` (HKDF, RFC 5869), so that
 * a value made for one purpose is invalid for all others.
 *
 * @param previousKey the key before the last change; absent or null: there is none
 */
export function createNodeSecrets(secretKey: string, previousKey: string | null = null): Secrets {
  const current = keysOf(secretKey);
  const accepted: readonly Keys[] = previousKey === null ? [current] : [current, keysOf(previousKey)];

  return {
    uuid: createUuidGenerator(),
    // A byte has eight times as many values as the alphabet has characters, so all are equally likely.
    base32: (length) => Array.from(randomBytes(length), (byte) => BASE32.charAt(byte % BASE32.length)).join(''),
    digits: (length) => Array.from({ length }, () => randomInt(10)).join(''),
    token: () => randomBytes(ID_BYTES).toString('base64url'),
    sign: (id) => signedWith(current, id),
    unsign(signed) {
      if (signed.length !== SIGNED_LENGTH) return null;
      const id = signed.slice(0, ID_LENGTH);
      const claimed = Buffer.from(signed.slice(ID_LENGTH), 'base64url');
      if (claimed.length !== MAC_BYTES || id + claimed.toString('base64url') !== signed) return null;
      return accepted.some((keys) => timingSafeEqual(claimed, macOf(keys, id))) ? id : null;
    },
    signatures: (id) => accepted.map((keys) => signedWith(keys, id)),
    digest: (text) => digestWith(current, text),
    digests: (text) => accepted.map((keys) => digestWith(keys, text)),
    fingerprint: (text) => createHash('sha256').update(text).digest('base64url'),
    encrypt(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.encryption, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    decrypt(sealed) {
      for (const keys of accepted) {
        const text = decryptWith(keys, sealed);
        if (text !== null) return text;
      }
      return null;
    },
    isCurrent: (sealed) => decryptWith(current, sealed) !== null,
  };
}
