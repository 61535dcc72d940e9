import { type PushNotification, parsePayload } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS, PATIENT } from '../patience.ts';
import { NOTIFICATION, wanted } from './contract.ts';
import type { OpenedRemotePush, RemotePushOptions, RemotePushReply } from './subject.ts';

const IMPATIENCE_MS = 400;
/** How much later than that it may be on a busy machine. */
const TOLERANCE_MS = 3_000;

/** What every adapter does, besides, that talks to a push service over a network. */
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
      'is to be tried again by whoever sends when the service answers with %j, and goes on',
      async (reply) => {
        opened.behave(() => reply);
        expect(await send()).toEqual({ kind: 'retry', reason: expect.stringMatching(/./), after: null });
        expect(opened.received).toHaveLength(1);
        opened.behave(() => 'accept');
        expect(await send()).toEqual({ kind: 'delivered' });
      },
    );

    it('is to be tried again when the service does not answer in time, and goes on', async () => {
      const hasty = await open({ timeLimit: IMPATIENCE_MS });
      const sendInHaste = () => hasty.channel.send(NOTIFICATION, wanted);
      try {
        hasty.behave(() => 'hang');
        const began = Date.now();
        expect(await sendInHaste()).toMatchObject({ kind: 'retry', after: null });
        expect(Date.now() - began).toBeLessThan(IMPATIENCE_MS + TOLERANCE_MS);
        expect(hasty.received.length).toBeLessThanOrEqual(1);
        hasty.behave(() => 'accept');
        // Several times: where the machine is busy, haste is reason enough to fail.
        await expect.poll(sendInHaste, PATIENT).toEqual({ kind: 'delivered' });
      } finally {
        await hasty.close();
      }
    });

    it('is to be tried again when nobody is there', async () => {
      await opened.vanish();
      expect(await send()).toEqual({ kind: 'retry', reason: expect.stringMatching(/./), after: null });
    });

    it('leaves nobody waiting when it is closed', async () => {
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

    it('signs in once for many, and asks whether it is wanted only then', async () => {
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

    it('does not send what nobody wants any more by the time that the service can be reached', async () => {
      let asked = 0;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => send({ device: `d${i}` }, async () => asked++ % 2 === 0)),
      );
      expect(answers.filter(({ kind }) => kind === 'unwanted')).toHaveLength(10);
      expect(opened.received).toHaveLength(10);
    });

    it('refuses settings that cannot be right, without a word to anybody', async () => {
      expect(opened.misspelt.length).toBeGreaterThan(0);
      for (const channel of opened.misspelt) {
        const outcome = await channel.send(NOTIFICATION, wanted);
        expect(outcome).toEqual({ kind: 'refused', of: 'service', reason: expect.stringMatching(/./) });
        expect(JSON.stringify(outcome)).not.toContain('PRIVATE');
      }
      expect(opened.received).toEqual([]);
      expect(await send()).toEqual({ kind: 'delivered' });
    });

    it('says nothing of keys and tokens, whatever comes of a notification', async () => {
      const replies: readonly RemotePushReply[] = [
        'dead',
        'unknown device',
        'bad notification',
        'bad credentials',
        'down',
        'cut',
        'garbage',
      ];
      const said: unknown[] = [];
      for (const reply of replies) {
        opened.behave(() => reply);
        said.push(await send());
      }
      for (const channel of opened.misspelt) said.push(await channel.send(NOTIFICATION, wanted));
      const secrets = [...opened.secrets, ...opened.received.map(({ credential }) => credential)];
      expect(secrets.length).toBeGreaterThan(replies.length);
      for (const secret of secrets) expect(JSON.stringify(said)).not.toContain(secret);
    });

    it.each([
      ['text', { message: 'x'.repeat(1_770) }],
      ['text that grows', { message: '"\n'.repeat(440) }],
      ['text of other scripts', { message: '漢'.repeat(590) }],
      ['text and more', { message: 'x'.repeat(700), custom: { a: '"'.repeat(500) }, sound: 's'.repeat(60), badge: 99 }],
    ])('gets the largest %s through that anybody may send', async (_what, body) => {
      const payload = parsePayload({ ...body, collapse_key: 'k'.repeat(20), time_to_live: 2_419_200 });
      expect(() => parsePayload({ ...body, message: `${body.message}${'x'.repeat(400)}` })).toThrow();
      expect(await send(payload)).toEqual({ kind: 'delivered' });
      expect(opened.received).toMatchObject([{ text: body.message }]);
    });
  });
}
