import { inspect } from 'node:util';
import type { Clock, OAuthPerson } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import type { IssuedToken, OAuthSubject, OpenedOAuth } from './subject.ts';

const MINUTE = 60_000;

export const ANN: OAuthPerson = {
  id: '110169484474386276334',
  email: 'ann@example.com',
  name: 'Ann 漢字 😀',
  avatarUrl: 'https://example.com/ann.png?size=1&x=%20',
  pageUrl: 'https://example.com/ann',
};

/** Contract of every network adapter, without exceptions. */
export function oauthContract(name: string, { kinds, open }: OAuthSubject): void {
  describe.each(Object.entries(kinds))(`oauth contract: ${name}, %s`, PATIENT, (kind, { hasNonce }) => {
    let now = Date.now();
    const clock: Clock = { now: () => now };
    let opened: OpenedOAuth;
    beforeEach(async () => {
      opened = await open(clock);
    });
    afterEach(() => opened.close());

    const ours = () => opened.clientIds[0] as string;
    const issue = (more: Partial<IssuedToken> = {}) => opened.issue(kind, { person: ANN, clientId: ours(), ...more });
    const identify = (token: string, nonce: string | null = null) => opened.network.identify({ token, nonce });

    async function expectRefusal(token: string, nonce: string | null = null): Promise<void> {
      const error = await identify(token, nonce).then(
        () => new Error('it was accepted'),
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'social.refused' });
      if (token.length > 3) expect(inspect(error, { depth: 20 })).not.toContain(token);
    }

    it('identifies the person, with everything that the network knows', async () => {
      expect(await identify(await issue())).toEqual(ANN);
    });

    it('identifies the person when the network knows only the id', async () => {
      const person = { id: 'x'.repeat(255) };
      const unknown = { email: null, name: null, avatarUrl: null, pageUrl: null };
      expect(await identify(await issue({ person }))).toEqual({ ...person, ...unknown });
    });

    it('does not confuse people who log in at the same time', async () => {
      const ids = Array.from({ length: 20 }, (_, i) => `person-${i}`);
      const tokens = await Promise.all(ids.map((id) => issue({ person: { id } })));
      const people = await Promise.all(tokens.map((token) => identify(token)));
      expect(people.map(({ id }) => id)).toEqual(ids);
    });

    it('refuses tokens issued to another app', async () => {
      for (const clientId of ['another-app', '', `${ours()}x`, `x${ours()}`, ours().slice(0, -1)]) {
        await expectRefusal(await issue({ clientId }));
      }
    });

    it('refuses tokens after their expiry, and not before', async () => {
      const token = await issue({ expires: now + 10 * MINUTE });
      now += 9 * MINUTE;
      expect((await identify(token)).id).toBe(ANN.id);
      now += 2 * MINUTE;
      await expectRefusal(token);
    });

    it.each([
      '-',
      'nothing',
      'a.b.c',
      'a b',
      'a\r\nX-Evil: 1',
      '😀',
      '../../me?x=1#',
      '%00',
      '"',
      'x'.repeat(8192),
      'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA',
      'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
      'eyJhbGciOjF9.e30.e30',
    ])('refuses tokens that were never issued: %j', async (token) => {
      await expectRefusal(token);
    });

    it('compares the nonce, where the token carries one', async () => {
      await expectRefusal(await issue(), 'given');
      await expectRefusal(await issue(), '');
      if (!hasNonce) return;
      const token = await issue({ nonce: 'of the client' });
      expect((await identify(token, 'of the client')).id).toBe(ANN.id);
      for (const nonce of ['another', '', 'Of the client', null]) await expectRefusal(token, nonce);
    });
  });
}
