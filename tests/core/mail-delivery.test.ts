import { createMemoryStorage } from '@baobab/adapters/memory';
import { createNodeSecrets } from '@baobab/adapters/system';
import { addUser } from '@baobab/contracts/storage';
import {
  AppError,
  createMailDelivery,
  createOutgoingMail,
  createSettings,
  createTimeWatch,
  type Logger,
  type Mailer,
  type MailMessage,
  type SettingValues,
  type Storage,
} from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE, trusting } from '../support/clock.ts';

const HOUR = 60 * MINUTE;

describe('the outbox of mails', () => {
  const clock = createHandDrivenClock();
  const secrets = createNodeSecrets('a key that is long enough for a test');
  let storage: Storage;
  let userId: string;
  let received: MailMessage[];
  /** Reactions of the mail server to the next messages. It accepts further ones. */
  let replies: Array<() => Promise<string>>;
  let logged: unknown[];

  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (line) => logged.push(line),
    error: (line) => logged.push(line),
  };
  const mailer: Mailer = {
    requireSetUp: async () => undefined,
    async send(message) {
      received.push(message);
      return (await replies.shift()?.()) ?? '250 ok';
    },
  };
  const posting = (by = secrets) => createOutgoingMail({ secrets: by, clock, publicUrl: 'https://app.example.com' });
  const outgoing = posting();
  let values: SettingValues;
  const node = (mailing = mailer, store = storage) =>
    createMailDelivery({ storage: store, mailer: mailing, secrets, clock, logger, timeWatch: trusting(clock) });
  const unavailable = async () => {
    throw new AppError('mail.unavailable');
  };

  beforeEach(async () => {
    storage = createMemoryStorage();
    userId = (await addUser(storage, 'Ann')).id;
    values = await createSettings({ storage, secrets, clock, logger }).current();
    [received, replies, logged] = [[], [], []];
  });
  afterEach(() => storage.close());

  const letter = (topic = 'test', expires = clock.now() + HOUR) => ({
    userId,
    topic,
    to: 'ann@example.com',
    subject: 'Hello',
    text: 'The code is 123456',
    html: '<p>123456</p>',
    expires,
  });
  const post = (topic?: string, expires?: number) =>
    storage.transaction((stores) => outgoing.post(stores, values, letter(topic, expires)));

  it('sends a mail once, however many nodes look for work at once', async () => {
    for (let i = 0; i < 30; i++) await post(`topic ${i}`);
    await Promise.all([node(), node(), node()].map((one) => one.run()));
    expect(received).toHaveLength(30);
    expect(await storage.mails.nextDue()).toBeNull();
  });

  it('stores no code in the clear', async () => {
    await post();
    const [stored] = await storage.mails.claim({ now: clock.now(), until: clock.now() + 1, limit: 1 });
    expect(JSON.stringify(stored)).not.toMatch(/123456|ann@example/);
  });

  it('retries with growing waits, under the same id, until the server accepts', async () => {
    await post();
    replies = [unavailable, unavailable, unavailable];
    const one = node();
    const waits: number[] = [];
    for (let due = await one.run(); due !== null; due = await one.run()) {
      waits.push(due - clock.now());
      clock.advance(due - clock.now());
    }
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
    expect(waits).toHaveLength(3);
    expect(waits[2]).toBeGreaterThan(waits[0] ?? Infinity);
  });

  it('gives up nothing because of a jump of the clock, and goes on after the correction', async () => {
    await post();
    const settings = createSettings({ storage, secrets, clock, logger });
    const timeWatch = createTimeWatch({ storage, clock, settings, logger });
    const one = createMailDelivery({ storage, mailer, secrets, clock, logger, timeWatch });
    replies = [unavailable];
    clock.jump(40 * 24 * HOUR);
    await one.run();
    expect(received).toHaveLength(1);
    clock.jump(-40 * 24 * HOUR);
    await storage.correctTimes(clock.now(), timeWatch.latest());
    expect(await one.run()).toBeNull();
    expect(received).toHaveLength(2);
  });

  it('gives up what the server refuses, and says so', async () => {
    await post();
    replies = [
      async () => {
        throw new AppError('mail.refused');
      },
    ];
    expect(await node().run()).toBeNull();
    expect(logged).toEqual([expect.objectContaining({ reason: 'refused', attempts: 1 })]);
    expect(JSON.stringify(logged)).not.toContain('123456');
  });

  it('gives up at the end of its time, and says so', async () => {
    await post('test', clock.now() + 5 * MINUTE);
    replies = Array.from({ length: 100 }, () => unavailable);
    const one = node();
    for (let due = await one.run(); due !== null; due = await one.run()) clock.advance(due - clock.now());
    expect(logged.at(-1)).toMatchObject({ reason: 'expired' });
    expect(received.length).toBeGreaterThan(5);
    expect(received.length).toBeLessThan(30);
  });

  it('gives up after a number of attempts, and says so', async () => {
    await post('test', clock.now() + 1000 * HOUR);
    replies = Array.from({ length: 100 }, () => unavailable);
    const one = node();
    for (let due = await one.run(); due !== null; due = await one.run()) clock.advance(due - clock.now());
    expect(received).toHaveLength(30);
    expect(logged.at(-1)).toMatchObject({ reason: 'too many attempts', attempts: 30 });
  });

  it('gives up what another key has encrypted, and sends the others', async () => {
    const foreign = posting(createNodeSecrets('another key that is long enough for it'));
    await storage.transaction((stores) => foreign.post(stores, values, letter('foreign')));
    await post();
    expect(await node().run()).toBeNull();
    expect(received).toHaveLength(1);
    expect(logged).toEqual([expect.objectContaining({ reason: expect.stringContaining('SECRET_KEY') })]);
  });

  it('is sent by another node when the one that claimed it has died, not before', async () => {
    await storage.transaction((stores) => outgoing.postClaimed(stores, values, letter()));
    const due = await node().run();
    expect(received).toEqual([]);
    expect(due).toBeGreaterThan(clock.now() + 10_000); // longer than an attempt can take
    clock.advance((due ?? 0) - clock.now());
    await node().run();
    expect(received).toHaveLength(1);
  });

  it('is not sent again by a node that could not remove it', async () => {
    await post();
    let isDown = true;
    const mails = {
      ...storage.mails,
      remove: (id: string) => (isDown ? Promise.reject(new AppError('storage.unavailable')) : storage.mails.remove(id)),
    };
    const one = node(mailer, { ...storage, mails });
    const due = await one.run();
    isDown = false;
    clock.advance((due ?? 0) - clock.now());
    expect(await one.run()).toBeNull();
    expect(received).toHaveLength(1);
  });

  it('is on its way after a first attempt that failed temporarily', async () => {
    const mail = await storage.transaction((stores) => outgoing.postClaimed(stores, values, letter()));
    replies = [unavailable];
    await node().attempt(mail);
    const due = await node().run();
    clock.advance((due ?? 0) - clock.now());
    await node().run();
    expect(received).toHaveLength(2);
  });

  it('claims nothing new once it has been stopped', async () => {
    await post();
    const one = node();
    one.stop();
    expect(await one.run()).toBeNull();
    expect(received).toEqual([]);
  });

  it('wakes those who send when a mail is stored', async () => {
    const one = node();
    let woken = 0;
    const unsubscribe = one.subscribe(() => woken++);
    await post();
    expect(woken).toBe(1);
    unsubscribe();
    one.dispose();
  });
});
