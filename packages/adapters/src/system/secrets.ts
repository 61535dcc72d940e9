import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  randomInt,
  timingSafeEqual,
} from 'node:crypto';
import type { Secrets } from '@baobab/core';

const ID_BYTES = 16;
const ID_LENGTH = 22;
const MAC_BYTES = 16;
const SIGNED_LENGTH = 44;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** First counter of CTR, random. */
const COUNTER_BYTES = 16;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const POOL_BYTES = 8_192;

/**
 * Creates a source of random bytes, which fills a pool at a time: faster than a call of the generator for each value.
 * The bytes are valid until the next call.
 */
function createRandomBytes(): (length: number) => Buffer {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return (length) => {
    if (used + length > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}

/**
 * Creates the operations of one secret key. Its keys are objects, because Node takes 20 µs to check one of plain bytes.
 */
function createKey(secretKey: string) {
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, 'baobab', purpose, 32)));
  const [signing, digesting, encryption] = [derive('session tokens'), derive('digests'), derive('encryption')];
  const [concealing, concealingMac] = [derive('concealment'), derive('concealment mac')];
  const randomOf = createRandomBytes();

  const macBy = (key: KeyObject, text: string | Buffer) =>
    createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
  const mac = (id: string) => macBy(signing, id);

  return {
    mac,
    sign: (id: string) => id + mac(id).toString('base64url'),
    digest: (text: string) => createHmac('sha256', digesting).update(text).digest('base64url'),
    encrypt(text: string): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', encryption, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    decrypt(sealed: string): string | null {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      try {
        const decipher = createDecipheriv('aes-256-gcm', encryption, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
        return Buffer.concat(text).toString('utf8');
      } catch {
        return null; // GCM reports data that was changed or encrypted with another key
      }
    },
    /** Not GCM, whose random nonces suffice for 2^32 texts of a key only: a busy server makes more cursors. */
    conceal(text: string): string {
      const nonce = randomOf(COUNTER_BYTES);
      const sealed = Buffer.concat([nonce, createCipheriv('aes-256-ctr', concealing, nonce).update(text, 'utf8')]);
      return Buffer.concat([macBy(concealingMac, sealed), sealed]).toString('base64url');
    },
    reveal(bytes: Buffer): string | null {
      const [claimed, sealed] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
      if (sealed.length < COUNTER_BYTES || !timingSafeEqual(claimed, macBy(concealingMac, sealed))) return null;
      const nonce = sealed.subarray(0, COUNTER_BYTES);
      return createDecipheriv('aes-256-ctr', concealing, nonce).update(sealed.subarray(COUNTER_BYTES)).toString('utf8');
    },
  };
}

/**
 * Creates secrets with Node's crypto. Each purpose has a separate key, derived from `secretKey` (HKDF, RFC 5869), so
 * that a value created for one purpose is invalid for all others.
 *
 * @param previousKey key before the last change; absent or null without one
 */
export function createNodeSecrets(secretKey: string, previousKey: string | null = null): Secrets {
  const current = createKey(secretKey);
  const accepted = previousKey === null ? [current] : [current, createKey(previousKey)];

  return {
    uuid: createUuidGenerator(),
    // A byte has eight times as many values as the alphabet has characters, so all are equally likely.
    base32: (length) => Array.from(randomBytes(length), (byte) => BASE32.charAt(byte % BASE32.length)).join(''),
    digits: (length) => Array.from({ length }, () => randomInt(10)).join(''),
    token: () => randomBytes(ID_BYTES).toString('base64url'),
    sign: current.sign,
    unsign(signed) {
      if (signed.length !== SIGNED_LENGTH) return null;
      const id = signed.slice(0, ID_LENGTH);
      const claimed = Buffer.from(signed.slice(ID_LENGTH), 'base64url');
      if (claimed.length !== MAC_BYTES || id + claimed.toString('base64url') !== signed) return null;
      return accepted.some((key) => timingSafeEqual(claimed, key.mac(id))) ? id : null;
    },
    signatures: (id) => accepted.map((key) => key.sign(id)),
    digest: current.digest,
    digests: (text) => accepted.map((key) => key.digest(text)),
    fingerprint: (text) => createHash('sha256').update(text).digest('base64url'),
    encrypt: current.encrypt,
    decrypt(sealed) {
      for (const key of accepted) {
        const text = key.decrypt(sealed);
        if (text !== null) return text;
      }
      return null;
    },
    conceal: current.conceal,
    reveal(concealed) {
      const bytes = Buffer.from(concealed, 'base64url');
      if (bytes.toString('base64url') !== concealed) return null; // Node ignores other characters
      for (const key of accepted) {
        const text = key.reveal(bytes);
        if (text !== null) return text;
      }
      return null;
    },
    isCurrent: (sealed) => current.decrypt(sealed) !== null,
  };
}

const RANDOM_BYTES = 8;
/** Maximum of the 12-bit counter within a millisecond, which starts at a random value in its lower half. */
const MAX_SEQUENCE = 0xfff;

/**
 * Creates UUIDv7 (RFC 9562, section 6.2, method 1): 48 bits of milliseconds, a 12-bit counter, 62 random bits. Ids of
 * one generator ascend, even within a millisecond and if the clock goes back.
 */
function createUuidGenerator(): (now: number) => string {
  const randomOf = createRandomBytes();
  let time = 0;
  let sequence = 0;

  return (now) => {
    const bytes = randomOf(RANDOM_BYTES);
    if (now > time) {
      time = now;
      sequence = bytes.readUInt16BE(0) & (MAX_SEQUENCE >> 1);
    } else if (sequence === MAX_SEQUENCE) {
      time++;
      sequence = 0;
    } else sequence++;
    const clock = time.toString(16).padStart(12, '0');
    const counter = sequence.toString(16).padStart(3, '0');
    const rest = bytes.toString('hex');
    const variant = (8 + ((bytes[0] as number) & 3)).toString(16);
    return `${clock.slice(0, 8)}-${clock.slice(8)}-7${counter}-${variant}${rest.slice(1, 4)}-${rest.slice(4)}`;
  };
}
