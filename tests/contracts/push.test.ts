import { type ApnsConfig, createApnsPush } from '@baobab/adapters/apns';
import { createFcmPush, type FcmConfig } from '@baobab/adapters/fcm';
import { createSystemClock } from '@baobab/adapters/system';
import {
  NOTIFICATION,
  type OpenedRemotePush,
  pushContract,
  pushNetworkContract,
  type RemotePushOptions,
  wanted,
} from '@baobab/contracts/push';
import type { Clock, PushChannel, PushNotification, PushOutcome } from '@baobab/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { signedAt, startApns } from '../support/push/apns.ts';
import { startFcm } from '../support/push/fcm.ts';
import { openMemoryPush } from '../support/push/memory.ts';
import type { PushStandIn } from '../support/push/stand-in.ts';

const clock = createSystemClock();
const fcm = (options: { url: string; timeLimit?: number; clock?: Clock }) => createFcmPush({ clock, ...options });
const apns = (options: { url: string; timeLimit?: number; clock?: Clock; maxStreams?: number }) =>
  createApnsPush({ clock, ...options });

const opened: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
function closing<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

pushContract('memory', openMemoryPush);

/** The dependencies of both adapters. */
interface PushSender<Config> {
  send(config: Config, notification: PushNotification, isWanted: () => Promise<boolean>): Promise<PushOutcome>;
  close(): Promise<void>;
}

interface Remote<Config> {
  readonly start: () => Promise<PushStandIn<Config>>;
  readonly create: (options: { url: string; timeLimit: number }) => PushSender<Config>;
  readonly misspell: (right: Config) => readonly Config[];
  /** The settings that contain keys, as text. */
  readonly keysIn: (config: Config) => readonly string[];
}

/** An adapter with a stand-in for its push service. */
const opener =
  <Config>({ start, create, misspell, keysIn }: Remote<Config>) =>
  async ({ timeLimit = 5_000 }: RemotePushOptions = {}): Promise<OpenedRemotePush> => {
    const standIn = await start();
    const sender = create({ url: standIn.url, timeLimit });
    const channelOf = (config: Config): PushChannel => ({
      key: JSON.stringify(config),
      send: (notification, isWanted) => sender.send(config, notification, isWanted),
    });
    const channel = channelOf(standIn.config);
    return {
      service: { channel: async () => channel, close: sender.close },
      channel,
      misspelt: misspell(standIn.config).map(channelOf),
      secrets: keysIn(standIn.config)
        .flatMap((text) => text.split('\n'))
        .filter((line) => /^[\w+/=]{40,}$/.test(line)),
      received: standIn.received,
      get connections() {
        return standIn.connections;
      },
      behave: standIn.behave,
      vanish: standIn.close,
      async close() {
        await sender.close();
        await standIn.close();
      },
    };
  };

const openFcm = opener<FcmConfig>({
  start: startFcm,
  create: fcm,
  misspell: (right) => {
    const account = JSON.parse(right.serviceAccount);
    const broken = [
      'no JSON',
      '{}',
      JSON.stringify({ ...account, private_key: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----' }),
      JSON.stringify({ ...account, client_email: 'somebody@else' }),
      JSON.stringify({ ...account, project_id: undefined }),
    ];
    return [...broken.map((serviceAccount) => ({ ...right, serviceAccount })), { ...right, project: 'other' }];
  },
  keysIn: ({ serviceAccount }) => Object.values(JSON.parse(serviceAccount)).map(String),
});

const openApns = opener<ApnsConfig>({
  start: startApns,
  create: apns,
  misspell: (right) => [
    { ...right, key: 'no PEM' },
    { ...right, key: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----' },
    { ...right, keyId: 'OTHER' },
    { ...right, team: 'OTHER' },
    { ...right, topic: 'org.example.other' },
  ],
  keysIn: ({ key }) => [key],
});

pushContract('fcm', openFcm);
pushNetworkContract('fcm', openFcm);
pushContract('apns', openApns);
pushNetworkContract('apns', openApns);

describe('FCM', () => {
  it('fetches a new access token before the old one expires, and when it is rejected', async () => {
    const standIn = closing(await startFcm());
    const now = createHandDrivenClock(Date.now());
    const push = closing(fcm({ url: standIn.url, clock: now }));
    const send = () => push.send(standIn.config, NOTIFICATION, wanted);
    for (let i = 0; i < 3; i++) expect(await send()).toEqual({ kind: 'delivered' });
    expect(standIn.tokens).toBe(1);
    now.advance(50 * MINUTE);
    standIn.behave((_device, nth) => (nth === 4 ? 'expired' : 'accept'));
    expect(await send()).toMatchObject({ kind: 'retry', reason: 'UNAUTHENTICATED' });
    now.advance(-50 * MINUTE);
    expect(await send()).toEqual({ kind: 'delivered' });
    expect(standIn.tokens).toBe(1); // the first one has expired
    standIn.behave(() => 'expired');
    expect(await send()).toMatchObject({ kind: 'refused', of: 'service' });
  });
});

describe('APNs', () => {
  it('renews its token every 40 minutes, but not when Apple calls a new one expired', async () => {
    const standIn = closing(await startApns());
    const now = createHandDrivenClock(Date.now() - 50 * MINUTE);
    const push = closing(apns({ url: standIn.url, clock: now }));
    const send = () => push.send(standIn.config, NOTIFICATION, wanted);
    const tokens = () => new Set(standIn.received.map(({ credential }) => credential)).size;
    await send();
    now.advance(39 * MINUTE);
    await send();
    expect(tokens()).toBe(1);
    now.advance(MINUTE);
    await send();
    expect(tokens()).toBe(2);
    standIn.behave(() => 'expired');
    expect(await send()).toMatchObject({
      kind: 'refused',
      of: 'service',
      reason: expect.stringMatching(/^ExpiredProviderToken; .*clock/),
    });
    now.advance(25 * MINUTE);
    expect(await send()).toMatchObject({ kind: 'retry' });
    standIn.behave(() => 'accept');
    expect(await send()).toEqual({ kind: 'delivered' });
    expect(tokens()).toBe(3);
  });

  it('renews its token every 20 to 60 minutes, whatever Apple replies', async () => {
    const standIn = closing(await startApns());
    // The stand-in compares tokens with the real time.
    const now = createHandDrivenClock(Date.now() - 55 * MINUTE);
    const push = closing(apns({ url: standIn.url, clock: now }));
    const replies = ['accept', 'expired', 'bad credentials', 'too many credentials', 'unknown device', 'down'] as const;
    standIn.behave((device) => replies[Number(device) % replies.length] ?? 'accept');
    for (let minute = 0; minute < 110; minute++) {
      await push.send(standIn.config, { ...NOTIFICATION, device: String(minute) }, wanted);
      const used = standIn.received[minute]?.credential ?? '';
      expect(now.now() / 1_000 - signedAt(used)).toBeLessThan(3_600);
      now.advance(MINUTE);
    }
    const signed = [...new Set(standIn.received.map(({ credential }) => signedAt(credential)))];
    expect(signed.length).toBeGreaterThan(2);
    for (const [index, at] of signed.entries()) {
      expect(at - (signed[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(20 * 60);
    }
  });

  it('tries again with the same token when Apple finds that tokens change too often', async () => {
    const standIn = closing(await startApns());
    const push = closing(apns({ url: standIn.url }));
    const send = () => push.send(standIn.config, NOTIFICATION, wanted);
    // Settings that are proven to be right would make an unknown device dead.
    expect(await send()).toEqual({ kind: 'delivered' });
    standIn.behave(() => 'too many credentials');
    expect(await send()).toEqual({ kind: 'retry', reason: 'TooManyProviderTokenUpdates', after: null });
    standIn.behave(() => 'accept');
    expect(await send()).toEqual({ kind: 'delivered' });
    expect(new Set(standIn.received.map(({ credential }) => credential)).size).toBe(1);
  });

  it('signs another token when the clock was set back', async () => {
    const standIn = closing(await startApns());
    let now = Date.now() + 90 * MINUTE;
    const push = closing(apns({ url: standIn.url, clock: { now: () => now } }));
    const send = () => push.send(standIn.config, NOTIFICATION, wanted);
    expect(await send()).toMatchObject({ kind: 'refused', of: 'service' });
    now = Date.now();
    expect(await send()).toEqual({ kind: 'delivered' });
  });

  it('names the clock of this machine when it is an hour off', async () => {
    const [one, other] = [closing(await startApns()), closing(await startFcm())];
    const wrong = createHandDrivenClock(Date.now() + 90 * MINUTE);
    const refused = { kind: 'refused', of: 'service', reason: expect.stringContaining('clock') };
    const toApple = closing(apns({ url: one.url, clock: wrong }));
    expect(await toApple.send(one.config, NOTIFICATION, wanted)).toMatchObject(refused);
    const toGoogle = closing(fcm({ url: other.url, clock: wrong }));
    expect(await toGoogle.send(other.config, NOTIFICATION, wanted)).toMatchObject(refused);
  });

  it('asks for four weeks of storage by default, as FCM does', async () => {
    const standIn = closing(await startApns());
    await closing(apns({ url: standIn.url })).send(standIn.config, NOTIFICATION, wanted);
    expect(standIn.received[0]?.timeToLive).toBeGreaterThan(2_400_000);
  });

  it("uses one connection, within Apple's limit of streams and the configured one", async () => {
    for (const [allowed, set] of [
      [5, 100],
      [100, 5],
    ] as const) {
      const standIn = closing(await startApns({ maxStreams: allowed }));
      const push = closing(apns({ url: standIn.url, maxStreams: set }));
      const sends = Array.from({ length: 100 }, (_, i) =>
        push.send(standIn.config, { ...NOTIFICATION, device: `d${i}` }, wanted),
      );
      for (const outcome of await Promise.all(sends)) expect(outcome).toEqual({ kind: 'delivered' });
      expect([standIn.connections, standIn.mostAtOnce <= 5]).toEqual([1, true]);
    }
  });

  it('continues after GOAWAY and after a stream was reset', async () => {
    const standIn = closing(await startApns());
    const push = closing(apns({ url: standIn.url }));
    const send = (device: string) => push.send(standIn.config, { ...NOTIFICATION, device }, wanted);
    await send('first');
    for (let round = 0; round < 5; round++) {
      const sending = Array.from({ length: 20 }, (_, i) => send(`d${round}-${i}`));
      standIn.goAway();
      for (const { kind } of await Promise.all(sending)) expect(['delivered', 'retry']).toContain(kind);
      expect(await send(`after ${round}`)).toEqual({ kind: 'delivered' });
    }
    expect(standIn.connections).toBeGreaterThan(1);
    const before = standIn.connections;
    standIn.resetNext();
    expect(await send('reset')).toMatchObject({ kind: 'retry' });
    expect(await send('reset')).toEqual({ kind: 'delivered' });
    expect(standIn.connections).toBe(before);
  });
});
