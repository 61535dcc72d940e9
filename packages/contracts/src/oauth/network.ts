import { inspect } from 'node:util';
import type { Clock } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { ANN } from './contract.ts';
import { SLOW_TROUBLES, TROUBLES, type Trouble } from './stand-in.ts';
import type { OpenedRemoteOAuth, RemoteOAuthSubject } from './subject.ts';

const clock: Clock = { now: Date.now };
const SHORT_LIMIT_MS = 400;
const QUICK_TROUBLES = TROUBLES.filter((trouble) => !SLOW_TROUBLES.includes(trouble));

/** Additional contract of adapters that send requests to a server: they must tolerate any misbehaviour of the server. */
export function oauthNetworkContract(name: string, { paths, open }: RemoteOAuthSubject): void {
  const cases = Object.entries(paths).flatMap(([kind, all]) => all.map((path) => [kind, path] as const));

  describe.each(cases)(`oauth contract, misbehaving network: ${name}, %s, %s`, PATIENT, (kind, path) => {
    const opened: OpenedRemoteOAuth[] = [];
    afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

    /** Opens an adapter whose network misbehaves and then recovers. Resolves to a function that identifies again. */
    async function inTrouble(trouble: Trouble, options: { timeLimit?: number }) {
      const one = await open(clock, options);
      opened.push(one);
      const { standIn, network, clientIds } = one;
      const token = await one.issue(kind, { person: ANN, clientId: clientIds[0] as string });
      const ask = () => network.identify({ token, nonce: null });
      Object.assign(standIn, { trouble, troubled: [path] });
      const started = performance.now();
      const error = await ask().then(
        () => new Error('it was accepted'),
        (reason: unknown) => reason,
      );
      expect(performance.now() - started).toBeLessThan(4000);
      standIn.trouble = null;
      expect(error).toMatchObject({ code: 'social.unavailable' });
      expect(inspect(error, { depth: 20 })).not.toContain(token);
      expect(standIn.requests.map((request) => request.path)).toContain(path);
      expect(standIn.requests.map((request) => request.path)).not.toContain('/elsewhere');
      return ask;
    }

    it.each(QUICK_TROUBLES)('is unavailable when the network %s, and recovers afterwards', async (trouble) => {
      const ask = await inTrouble(trouble, {});
      expect(await ask()).toEqual(ANN);
    });

    // Concurrent, because they take long. Not repeated, because with so short a time limit a busy machine fails.
    it(`is unavailable when the network ${SLOW_TROUBLES.join(', or ')}`, async () => {
      await Promise.all(SLOW_TROUBLES.map((trouble) => inTrouble(trouble, { timeLimit: SHORT_LIMIT_MS })));
    });
  });

  const [kind = ''] = Object.keys(paths);

  describe(`oauth contract, over a network: ${name}`, PATIENT, () => {
    let opened: OpenedRemoteOAuth;
    beforeEach(async () => {
      opened = await open(clock, { timeLimit: SHORT_LIMIT_MS, concurrency: 5 });
    });
    afterEach(() => opened.close());

    const ask = (token: string) => opened.network.identify({ token, nonce: null });
    const issue = () => opened.issue(kind, { person: ANN, clientId: opened.clientIds[0] as string });
    const codeOf = (asked: Promise<unknown>) =>
      asked.then(
        () => 'accepted',
        ({ code }: { code: string }) => code,
      );

    it('is unavailable when no server is running', async () => {
      const token = await issue();
      await opened.standIn.close();
      expect(await codeOf(ask(token))).toBe('social.unavailable');
    });

    it('limits the identifications in progress: further ones are refused at once, and accepted again later', async () => {
      const tokens = await Promise.all(Array.from({ length: 12 }, issue));
      opened.standIn.trouble = 'says nothing';
      const order: string[] = [];
      await Promise.all(tokens.map(async (token, i) => order.push(`${i} ${await codeOf(ask(token))}`)));
      // The seven beyond the limit are rejected before the others time out.
      expect(order.slice(0, 7)).toEqual([5, 6, 7, 8, 9, 10, 11].map((i) => `${i} social.unavailable`));
      expect(opened.standIn.requests.length).toBeLessThanOrEqual(5);
      opened.standIn.trouble = null;
      await expect.poll(() => codeOf(ask(tokens[0] as string)), PATIENT).toBe('accepted');
    });

    it('opens a new connection when the network has closed an idle one', async () => {
      const tokens = await Promise.all(Array.from({ length: 6 }, issue));
      for (const token of tokens) {
        expect(await codeOf(ask(token))).toBe('accepted');
        opened.standIn.closeIdle();
      }
    });
  });
}
