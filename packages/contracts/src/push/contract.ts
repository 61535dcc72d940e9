import type { PushNotification, PushOutcome } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import type { OpenedPush, PushReply } from './subject.ts';

const ID = '01a1fc3f-9fc6-72cc-aacc-3016ea82680b';

export const NOTIFICATION: PushNotification = {
  id: ID,
  device: 'device-1',
  message: 'Hello',
  badge: null,
  sound: null,
  custom: null,
  collapseKey: null,
  timeToLive: null,
};

export const wanted = async () => true;

const isMomentOrNull = (since: unknown) => since === null || (typeof since === 'number' && since > 0);

/** Contract of every push adapter, without exceptions. */
export function pushContract(name: string, open: () => Promise<OpenedPush>): void {
  describe(`push contract: ${name}`, PATIENT, () => {
    let opened: OpenedPush;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const send = (change: Partial<PushNotification> = {}, isWanted = wanted) =>
      opened.channel.send({ ...NOTIFICATION, ...change }, isWanted);

    it('sends a notification unchanged', async () => {
      const custom = '{"b":[1,{"":null}],"a":"č"}';
      const text = 'Zoë said "hi" 😀\n漢字';
      const all = { message: text, badge: 3, sound: 'ping.aiff', custom, collapseKey: 'news', timeToLive: 3_600 };
      expect(await send(all)).toEqual({ kind: 'delivered' });
      expect(await send({ device: 'device/2 č' })).toEqual({ kind: 'delivered' });
      expect(opened.received).toMatchObject([
        {
          device: 'device-1',
          id: ID,
          text,
          badge: 3,
          sound: 'ping.aiff',
          custom: JSON.parse(custom),
          collapse: 'news',
        },
        { device: 'device/2 č', id: ID, text: 'Hello', badge: null, sound: null, custom: null, collapse: ID },
      ]);
    });

    it('keeps collapse keys apart, whatever their characters', async () => {
      const keys = ['新', '°', '新消息', 'a\nb', ' a ', 'a', '\u{1f382}'.repeat(16)];
      for (const collapseKey of keys) await send({ collapseKey });
      expect(new Set(opened.received.map(({ collapse }) => collapse)).size).toBe(keys.length);
    });

    it.each([0, 600])('passes on a time to live of %d seconds', async (timeToLive) => {
      await send({ timeToLive });
      expect(Math.abs((opened.received[0]?.timeToLive ?? -10) - timeToLive)).toBeLessThanOrEqual(2);
    });

    it('does not send unwanted notifications, and passes on the error of `isWanted`', async () => {
      expect(await send({}, async () => false)).toEqual({ kind: 'unwanted' });
      const failure = new Error('the storage is down');
      await expect(send({}, () => Promise.reject(failure))).rejects.toBe(failure);
      expect(opened.received).toEqual([]);
      expect(await send()).toEqual({ kind: 'delivered' });
    });

    it.each<readonly [PushReply, PushOutcome]>([
      ['dead', { kind: 'dead', reason: expect.any(String), since: expect.toSatisfy(isMomentOrNull) }],
      ['bad notification', { kind: 'refused', of: 'notification', reason: expect.any(String) }],
      ['bad credentials', { kind: 'refused', of: 'service', reason: expect.any(String) }],
      [{ busyFor: 7 }, { kind: 'retry', reason: expect.any(String), after: 7_000 }],
      ['down', { kind: 'retry', reason: expect.any(String), after: null }],
    ])('reports the outcome of a single attempt: %j', async (reply, outcome) => {
      opened.behave(() => reply);
      expect(await send()).toEqual(outcome);
      // The caller counts the attempts, so the adapter must not retry.
      expect(opened.received.length).toBeLessThanOrEqual(1);
      opened.behave(() => 'accept');
      expect(await send()).toEqual({ kind: 'delivered' });
    });

    it('reports an unknown device as dead only after the settings have proven valid', async () => {
      opened.behave((device) => (device === 'stranger' ? 'unknown device' : 'accept'));
      const refused = { kind: 'refused', of: 'notification', reason: expect.any(String) };
      expect(await send({ device: 'stranger' })).toEqual(refused);
      await send();
      expect(await send({ device: 'stranger' })).toMatchObject({ kind: 'dead', since: null });
    });

    it('reports the outcome for each device, also when several are in progress at once', async () => {
      const replies: readonly PushReply[] = ['accept', 'dead', 'bad notification', 'down', 'accept'];
      const kinds = ['delivered', 'dead', 'refused', 'retry', 'delivered'];
      opened.behave((device) => replies[Number(device.slice(7)) % replies.length] ?? 'accept');
      const devices = Array.from({ length: 300 }, (_, i) => `device-${i}`);
      const outcomes = await Promise.all(devices.map((device) => send({ device, message: `for ${device}` })));
      expect(outcomes.map(({ kind }) => kind)).toEqual(devices.map((_, i) => kinds[i % kinds.length]));
      const texts = new Set(opened.received.map(({ device, text }) => `${device}: ${text}`));
      for (const [i, device] of devices.entries()) {
        if (kinds[i % kinds.length] === 'delivered') expect(texts).toContain(`${device}: for ${device}`);
      }
      expect(opened.received.length).toBe(new Set(opened.received.map(({ device }) => device)).size);
    });
  });
}
