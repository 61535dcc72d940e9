import { createMemoryBlobs } from '@baobab/adapters/memory';
import { createNodeSecrets } from '@baobab/adapters/system';
import { createAuthenticator } from '@baobab/contracts/webauthn';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, createWorld, type World } from '../support/backend.ts';
import { createDatabase } from '../support/databases.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { expectStatus } from '../support/people.ts';

const OLD = 'the old key, at least thirty-two characters long';
const NEW = 'the new key, at least thirty-two characters long';
const USES = 50;

const outcomes = (answers: readonly Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = String(body.code ?? status);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};

describe('a challenge of a passkey that is used 50 times at once, on two nodes on Postgres', () => {
  const closing: Array<() => Promise<unknown>> = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function nodes(keys: ReadonlyArray<readonly [string, string | null]>): Promise<readonly World[]> {
    const database = await createDatabase();
    closing.push(database.drop);
    const backends: TestBackend[] = [];
    for (const [key, previous] of keys) {
      const secrets = createNodeSecrets(key, previous);
      backends.push(await createTestBackend({ databaseUrl: database.url, blobStore: createMemoryBlobs(), secrets }));
    }
    closing.push(() => Promise.all(backends.map((backend) => backend.close())));
    return backends.map((backend) => createWorld(backend));
  }

  const [SAME, CHANGING] = [
    [
      [OLD, null],
      [OLD, null],
    ],
    [
      [OLD, NEW],
      [NEW, OLD],
    ],
  ] as const;

  it.each([
    ['with one secret key', SAME],
    ['while the secret key is changed', CHANGING],
  ] as const)('logs in exactly once, %s', async (_how, keys) => {
    const worlds = await nodes(keys);
    const [one] = worlds as [World];
    // An authenticator that does not count: only the challenge stops a replay.
    const { authenticator, token } = await createPasskeyCalls(one).owner(createAuthenticator({ counter: null }));
    const body = authenticator.get(await createPasskeyCalls(one).options());
    const uses = Array.from({ length: USES }, (_, i) =>
      (worlds[i % 2] as World).call('POST', '/login/passkey', { body }),
    );
    expect(outcomes(await Promise.all(uses))).toEqual({ 200: 1, 'passkey.challenge_invalid': USES - 1 });
    const sessions = await expectStatus(one.call('GET', '/me/sessions', { token }), 200);
    expect(sessions.data).toHaveLength(2); // the sign-up, and one login
    for (const { call } of worlds) {
      expect((await call('POST', '/login/passkey', { body })).body.code).toBe('passkey.challenge_invalid');
    }
  });

  it.each([
    ['with one secret key', SAME],
    ['while the secret key is changed', CHANGING],
  ] as const)('registers exactly one passkey, %s', async (_how, keys) => {
    const worlds = await nodes(keys);
    const [one] = worlds as [World];
    const { token } = await one.user();
    const { data } = await expectStatus(one.call('POST', '/me/passkeys/options', { token }), 200);
    // Another key pair each time, for the same challenge.
    const uses = Array.from({ length: USES }, (_, i) => {
      const body = { ...createAuthenticator().create(data), name: `Phone ${i}` };
      return (worlds[i % 2] as World).call('POST', '/me/passkeys', { token, body });
    });
    expect(outcomes(await Promise.all(uses))).toEqual({ 201: 1, 'passkey.challenge_invalid': USES - 1 });
    expect(await createPasskeyCalls(one).list(token)).toHaveLength(1);
  });
});
