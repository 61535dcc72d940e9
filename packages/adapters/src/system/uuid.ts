import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8_192;
const RANDOM_BYTES = 8;
/** Maximum of the 12-bit counter within a millisecond, which starts at a random value in its lower half. */
const MAX_SEQUENCE = 0xfff;

/**
 * Creates UUIDv7 (RFC 9562, section 6.2, method 1): 48 bits of milliseconds, a 12-bit counter, 62 random bits. Ids of
 * one generator ascend, even within a millisecond and if the clock goes back.
 */
export function createUuidGenerator(): (now: number) => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  let time = 0;
  let sequence = 0;

  return (now) => {
    if (used + RANDOM_BYTES > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.subarray(used, used + RANDOM_BYTES);
    used += RANDOM_BYTES;
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
