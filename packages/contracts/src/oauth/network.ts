import { inspect } from 'node:util';
import type { Clock } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANN } from './contract.ts';
import { SLOW_TROUBLES, TROUBLES } from './stand-in.ts';
import type { OpenedRemoteOAuth, RemoteOAuthSubject } from './subject.ts';

const clock: Clock = { now: Date.now };
const IMPATIENCE_MS = 400;

/** What every adapter does, besides, that asks a server: whatever is there, the service gets away with it. */
export function oauthNetworkContract(name: string, { paths, open }: RemoteOAuthSubject): void {
  const places = Object.entries(paths).flatMap(([kind, all]) => all.map((path) => [kind, path] as const));

  describe.each(places)(`oauth contract, in trouble: ${name}, %s, %s`, (kind, path) => {
    let opened: OpenedRemoteOAuth;
    afterEach(() => opened.close());

    const ask = (token: string) => opened.network.identify(opened.app, { token, nonce: null });
    const issue = () => opened.issue(kind, { person: ANN, clientId: opened.app.clientIds[0] as string });

    it.each(TROUBLES)('is unavailable when it %s, and there again afterwards', async (trouble) => {
      const isSlow = SLOW_TROUBLES.includes(trouble);
      opened = await open(clock, isSlow ? { timeLimit: IMPATIENCE_MS } : {});
      const { standIn } = opened;
      const token = await issue();
      Object.assign(standIn, { trouble, troubled: [path] });
      const started = performance.now();
      const error = await ask(token).then(
        () => new Error('it was accepted'),
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'social.unavailable' });
      expect(inspect(error, { depth: 20 })).not.toContain(token);
      expect(performance.now() - started).toBeLessThan(4000);
      expect(standIn.requests.map((request) => request.path)).toContain(path);
      expect(standIn.requests.map((request) => request.path)).not.toContain('/elsewhere');
      standIn.trouble = null;
      // In its own time: a hurried one would fail where the machine is busy.
      if (!isSlow) expect(await ask(token)).toEqual(ANN);
    });
  });

  const [kind = ''] = Object.keys(paths);

  describe(`oauth contract, over a network: ${name}`, () => {
    let opened: OpenedRemoteOAuth;
    beforeEach(async () => {
      opened = await open(clock, { timeLimit: IMPATIENCE_MS, concurrency: 5 });
    });
    afterEach(() => opened.close());

    const ask = (token: string) => opened.network.identify(opened.app, { token, nonce: null });
    const issue = () => opened.issue(kind, { person: ANN, clientId: opened.app.clientIds[0] as string });
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
      await expect.poll(() => codeOf(ask(tokens[0] as string))).toBe('accepted');
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
