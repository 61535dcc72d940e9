import { type PushNotification, parsePayload } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS, PATIENT } from '../patience.ts';
import { NOTIFICATION, wanted } from './contract.ts';
import type { OpenedRemotePush, RemotePushOptions, RemotePushReply } from './subject.ts';

const SHORT_LIMIT_MS = 400;
/** Delay beyond the time limit that a busy machine may cause. */
const TOLERANCE_MS = 3_000;

/** Additional contract of adapters that reach a push service over a network. */
export function pushNetworkContract(
  name: string,
  open: (options: RemotePushOptions) => Promise<OpenedRemotePush>,
): void {
  describe(`push contract, over a network: ${name}`, PATIENT, () => {
    let opened: OpenedRemotePush;
    beforeEach(async () => {
      opened = await open({});
    });
    afterEach(() => opened.close());

    const send = (change: Partial<PushNotification> = {}, isWanted = wanted) =>
      opened.channel.send({ ...NOTIFICATION, ...change }, isWanted);

    it.each<RemotePushReply>(['cut', 'accept and cut', 'garbage'])(
      'resolves to `retry` when the service reacts with %j, and recovers',
      async (reply) => {
        opened.behave(() => reply);
        expect(await send()).toEqual({ kind: 'retry', reason: expect.stringMatching(/./), after: null });
        expect(opened.received).toHaveLength(1);
        opened.behave(() => 'accept');
        expect(await send()).toEqual({ kind: 'delivered' });
      },
    );

    it('resolves to `retry` when the service does not respond in time, and recovers', async () => {
      const impatient = await open({ timeLimit: SHORT_LIMIT_MS });
      const sendWithShortLimit = () => impatient.channel.send(NOTIFICATION, wanted);
      try {
        impatient.behave(() => 'hang');
        const began = Date.now();
        expect(await sendWithShortLimit()).toMatchObject({ kind: 'retry', after: null });
        expect(Date.now() - began).toBeLessThan(SHORT_LIMIT_MS + TOLERANCE_MS);
        expect(impatient.received.length).toBeLessThanOrEqual(1);
        impatient.behave(() => 'accept');
        // Repeated, because on a busy machine the short time limit alone may make it fail.
        await expect.poll(sendWithShortLimit, PATIENT).toEqual({ kind: 'delivered' });
      } finally {
        await impatient.close();
      }
    });

    it('resolves to `retry` when no server is running', async () => {
      await opened.vanish();
      expect(await send()).toEqual({ kind: 'retry', reason: expect.stringMatching(/./), after: null });
    });

    it('settles all notifications when it is closed', async () => {
      const patient = await open({ timeLimit: 10 * PATIENCE_MS });
      try {
        patient.behave(() => 'hang');
        const sending = patient.channel.send(NOTIFICATION, wanted);
        await expect.poll(() => patient.received.length, PATIENT).toBe(1);
        await patient.service.close();
        expect(await sending).toMatchObject({ kind: 'retry' });
      } finally {
        await patient.close();
      }
    });

    it('logs in once for many notifications, and calls `isWanted` only afterwards', async () => {
      const order: number[] = [];
      const isWanted = async () => {
        order.push(opened.connections);
        return true;
      };
      await Promise.all(Array.from({ length: 50 }, (_, i) => send({ device: `d${i}` }, isWanted)));
      expect(order).toHaveLength(50);
      expect(Math.min(...order)).toBeGreaterThan(0);
      expect(new Set(opened.received.map(({ credential }) => credential)).size).toBe(1);
      expect(opened.connections).toBeLessThanOrEqual(50);
    });

    it('does not send a notification that is no longer wanted when the service becomes reachable', async () => {
      let asked = 0;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => send({ device: `d${i}` }, async () => asked++ % 2 === 0)),
      );
      expect(answers.filter(({ kind }) => kind === 'unwanted')).toHaveLength(10);
      expect(opened.received).toHaveLength(10);
    });

    it('refuses invalid settings without sending anything', async () => {
      expect(opened.misspelt.length).toBeGreaterThan(0);
      for (const channel of opened.misspelt) {
        const outcome = await channel.send(NOTIFICATION, wanted);
        expect(outcome).toEqual({ kind: 'refused', of: 'service', reason: expect.stringMatching(/./) });
        expect(JSON.stringify(outcome)).not.toContain('PRIVATE');
      }
      expect(opened.received).toEqual([]);
      expect(await send()).toEqual({ kind: 'delivered' });
    });

    it('never reveals keys or tokens, whatever the outcome', async () => {
      const replies: readonly RemotePushReply[] = [
        'dead',
        'unknown device',
        'bad notification',
        'bad credentials',
        'down',
        'cut',
        'garbage',
      ];
      const outcomes: unknown[] = [];
      for (const reply of replies) {
        opened.behave(() => reply);
        outcomes.push(await send());
      }
      for (const channel of opened.misspelt) outcomes.push(await channel.send(NOTIFICATION, wanted));
      const secrets = [...opened.secrets, ...opened.received.map(({ credential }) => credential)];
      expect(secrets.length).toBeGreaterThan(replies.length);
      for (const secret of secrets) expect(JSON.stringify(outcomes)).not.toContain(secret);
    });

    it.each([
      ['text', { message: 'x'.repeat(1_770) }],
      ['text that grows', { message: '"\n'.repeat(440) }],
      ['text of other scripts', { message: '漢'.repeat(590) }],
      ['text and more', { message: 'x'.repeat(700), custom: { a: '"'.repeat(500) }, sound: 's'.repeat(60), badge: 99 }],
    ])('delivers the largest allowed %s', async (_what, body) => {
      const payload = parsePayload({ ...body, collapse_key: 'k'.repeat(20), time_to_live: 2_419_200 });
      expect(() => parsePayload({ ...body, message: `${body.message}${'x'.repeat(400)}` })).toThrow();
      expect(await send(payload)).toEqual({ kind: 'delivered' });
      expect(opened.received).toMatchObject([{ text: body.message }]);
    });
  });
}
