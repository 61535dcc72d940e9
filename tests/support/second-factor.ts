import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer, CallOptions, World } from './backend.ts';
import type { HandDrivenClock } from './clock.ts';
import { expectFailure } from './envelope.ts';
import { expectStatus } from './people.ts';

export const STEP_MS = 30_000;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (char) => BASE32.indexOf(char).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/**
 * Returns the code of an authenticator app, computed by the standard (RFC 4226, section 5.3) instead of the library
 * under test.
 */
export function codeAt(secret: string, timestamp: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(timestamp / STEP_MS)));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Returns a six-digit code that is not valid at this time. */
export function wrongCode(secret: string, timestamp: number): string {
  const right = [-1, 0, 1].map((steps) => codeAt(secret, timestamp + steps * STEP_MS));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '';
}

/** A user with two-factor authentication. */
export interface Protected {
  readonly name: string;
  readonly id: string;
  readonly token: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Adds a user and turns 2FA on. The code of the current step is used up. */
export async function protectedUser(world: World, now: () => number): Promise<Protected> {
  const { name, id, token } = await world.user();
  const { data } = await expectStatus(world.call('POST', '/me/totp', { token }), 200);
  const body = { code: codeAt(data.secret, now()) };
  const confirmed = await expectStatus(world.call('POST', '/me/totp/confirm', { token, body }), 200);
  return { name, id, token, secret: data.secret, recoveryCodes: confirmed.data.recovery_codes };
}

export function expectCode(answer: Answer, status: number, code: string): void {
  expectFailure(answer, status);
  expect(answer.body.code).toBe(code);
}

/** Creates the calls of two-factor scenarios. */
export function createFactorCalls(world: World, clock: HandDrivenClock) {
  const login = (username: string, more: object = {}, options: CallOptions = {}) =>
    world.call('POST', '/login', { ...options, body: { username, password: 'secret', ...more } });
  return {
    login,
    second: (body: object, options: CallOptions = {}) => world.call('POST', '/login/second', { ...options, body }),
    codeOf: ({ secret }: Protected) => codeAt(secret, clock.now()),
    /** Adds a user with 2FA whose current code is unused. */
    async ann(): Promise<Protected> {
      const user = await protectedUser(world, clock.now);
      clock.advance(STEP_MS);
      return user;
    },
    /** Returns the challenge of a login with the correct password. */
    async challengeOf(name: string): Promise<string> {
      const answer = await login(name);
      expectCode(answer, 401, 'auth.second_factor_required');
      expect(answer.headers['x-bb-session']).toBeUndefined();
      expect(answer.text).not.toContain('X-BB-SESSION');
      return answer.body.challenge;
    },
  };
}
