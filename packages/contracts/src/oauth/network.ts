import { inspect } from 'node:util';
import type { Clock } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { ANN } from './contract.ts';
import { SLOW_TROUBLES, TROUBLES, type Trouble } from './stand-in.ts';
import type { OpenedRemoteOAuth, RemoteOAuthSubject } from './subject.ts';

const clock: Clock = { now: Date.now };
const IMPATIENCE_MS = 400;
const QUICK_TROUBLES = TROUBLES.filter((trouble) => !SLOW_TROUBLES.includes(trouble));

/** What every adapter does, besides, that asks a server: whatever is there, the service gets away with it. */
export function oauthNetworkContract(name: string, { paths, open }: RemoteOAuthSubject): void {
  const places = Object.entries(paths).flatMap(([kind, all]) => all.map((path) => [kind, path] as const));

  describe.each(places)(`oauth contract, in trouble: ${name}, %s, %s`, PATIENT, (kind, path) => {
    const opened: OpenedRemoteOAuth[] = [];
    afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

    /** Opens one, lets it get into trouble, and out of it. Resolves to how to ask it again. */
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

    it.each(QUICK_TROUBLES)('is unavailable when it %s, and there again afterwards', async (trouble) => {
      const ask = await inTrouble(trouble, {});
      expect(await ask()).toEqual(ANN);
    });

    // At once, because they take their time. Asked again they would have to hurry, and fail where the machine is busy.
    it(`is unavailable when it ${SLOW_TROUBLES.join(', or ')}`, async () => {
      await Promise.all(SLOW_TROUBLES.map((trouble) => inTrouble(trouble, { timeLimit: IMPATIENCE_MS })));
    });
  });

  const [kind = ''] = Object.keys(paths);

  describe(`oauth contract, over a network: ${name}`, PATIENT, () => {
    let opened: OpenedRemoteOAuth;
    beforeEach(async () => {
      opened = await open(clock, { timeLimit: IMPATIENCE_MS, concurrency: 5 });
    });
    afterEach(() => opened.close());

    const ask = (token: string) => opened.network.identify({ token, nonce: null });
    const issue = () => opened.issue(kind, { person: ANN, clientId: opened.clientIds[0] as string });
    const codeOf = (asked: Promise<unknown>) =>
      asked.then(
        () => 'accepted',
        ({ code }: { code: string }) => code,
      );

    it('is unavailable when nobody is there', async () => {
      const token = await issue();
      await opened.standIn.close();
      expect(await codeOf(ask(token))).toBe('social.unavailable');
    });

    it('identifies a bounded number of people at once: more are refused at once, and later not any more', async () => {
      const tokens = await Promise.all(Array.from({ length: 12 }, issue));
      opened.standIn.trouble = 'says nothing';
      const order: string[] = [];
      await Promise.all(tokens.map(async (token, i) => order.push(`${i} ${await codeOf(ask(token))}`)));
      // The seven for whom there was no room were told so before the others gave up.
      expect(order.slice(0, 7)).toEqual([5, 6, 7, 8, 9, 10, 11].map((i) => `${i} social.unavailable`));
      expect(opened.standIn.requests.length).toBeLessThanOrEqual(5);
      opened.standIn.trouble = null;
      await expect.poll(() => codeOf(ask(tokens[0] as string)), PATIENT).toBe('accepted');
    });

    it('is asked again on a new connection when it closed the old one in between', async () => {
      const tokens = await Promise.all(Array.from({ length: 6 }, issue));
      for (const token of tokens) {
        expect(await codeOf(ask(token))).toBe('accepted');
        opened.standIn.closeIdle();
      }
    });
  });
}
