import type { LiveState } from '@baobab/client';
import { live } from '@baobab/client/live';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClientService, openClientService } from '../support/client-service.ts';
import { createCutFetch } from '../support/live/cut-fetch.ts';
import { until } from '../support/patience.ts';
import { startProxy } from '../support/proxy.ts';

interface Note {
  title: string;
  n?: number;
}

interface App {
  collections: { readonly [name: string]: Note };
}

const QUERIES = 50;

describe('the socket of a client', () => {
  let service: ClientService;
  const cleanups: Array<() => unknown> = [];
  beforeAll(async () => {
    service = await openClientService();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  afterAll(() => service.close());

  /** Follows many different queries of a new user. */
  async function followMany(options: Parameters<ClientService['user']>[0]) {
    const client = await service.user<App>({ live, ...options });
    const notes = client.collection(await service.collection());
    const states: LiveState[] = Array.from({ length: QUERIES }, () => 'connecting');
    const titles: string[] = [];
    const stops: Array<() => void> = [];
    for (let at = 0; at < QUERIES; at++) {
      const stop = notes
        .query()
        .where('n >= ?', at)
        .orderBy('title')
        .live(
          (rows) => {
            titles[at] = rows.map(({ title }) => title).join();
          },
          {
            onState: (state) => {
              states[at] = state;
            },
          },
        );
      stops.push(stop);
    }
    cleanups.push(...stops);
    const stopFirst = () => stops[0]?.();
    return { notes, stopFirst, titles, areLive: () => until(() => states.every((state) => state === 'live')) };
  }

  it('carries all live queries, which end equal to what is stored', async () => {
    const net = createCutFetch();
    const { notes, titles, areLive } = await followMany(net);
    await areLive();
    expect(net.asked.map(({ pathname }) => pathname)).toEqual(['/live']);
    for (let n = 0; n < 10; n++) await notes.create({ title: `t${n}`, n: n * 10 });
    await until(() => titles.every((text, at) => text.split(',').filter(Boolean).length === 10 - Math.ceil(at / 10)));
    net.cut();
    const [first] = await notes.query().where('n = ?', 90).list();
    await notes.remove(first?.id ?? '');
    await until(() => titles.every((text) => !text.includes('t9')));
    await areLive();
  });

  it('closes when nothing needs it, and with the client', async () => {
    const net = createCutFetch();
    const client = await service.user<App>({ live, ...net });
    const notes = client.collection(await service.collection());
    const states: LiveState[] = [];
    const follow = () => notes.query().live(() => undefined, { onState: (state) => states.push(state) });
    const stop = follow();
    await until(() => states.at(-1) === 'live');
    stop();
    await until(() => net.open() === 0);
    follow();
    await until(() => states.filter((state) => state === 'live').length === 2);
    client.close();
    await until(() => net.open() === 0);
  });

  it('is replaced by one stream where sockets are blocked', async () => {
    const net = createCutFetch();
    const blocked = net.webSocket;
    class BlockedSocket extends blocked {
      constructor() {
        super(`${service.url.replace('http', 'ws')}/nowhere`);
      }
    }
    const { notes, titles, areLive } = await followMany({ ...net, webSocket: BlockedSocket as typeof WebSocket });
    await areLive();
    const streams = () => net.asked.filter(({ pathname }) => pathname === '/changes/stream');
    expect([streams().length, net.open()]).toEqual([1, 1]);
    await notes.create({ title: 'Milk', n: 25 });
    await until(() => titles.filter((text) => text === 'Milk').length === 26);
    net.cut();
    await notes.create({ title: 'Bread', n: 0 });
    await until(() => titles[0] === 'Bread,Milk');
    await areLive();
    expect(titles[1]).toBe('Milk');
  });

  it('serves streams of several collections, of which one is added later', async () => {
    const net = createCutFetch();
    const client = await service.user<App>({ live, fetch: net.fetch });
    const seen: string[] = [];
    for (let at = 0; at < 3; at++) {
      const notes = client.collection(await service.collection());
      let isLive = false;
      const stop = notes.query().live(
        (rows) => {
          seen[at] = rows.map(({ title }) => title).join();
        },
        {
          onState: (state) => {
            isLive = state === 'live';
          },
        },
      );
      cleanups.push(stop);
      await until(() => isLive);
      await notes.create({ title: `t${at}` });
      await until(() => seen[at] === `t${at}`);
      expect(net.open()).toBe(1);
    }
    expect(seen).toEqual(['t0', 't1', 't2']);
  });

  it('gets no messages while it is closing, and is replaced', async () => {
    const net = createCutFetch();
    const sockets: WebSocket[] = [];
    const late: unknown[] = [];
    class WatchedSocket extends net.webSocket {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args);
        sockets.push(this);
      }
      override send(message: string): void {
        if (this.readyState !== WebSocket.OPEN) late.push(message);
        else super.send(message);
      }
    }
    const { notes, stopFirst, titles, areLive } = await followMany({ ...net, webSocket: WatchedSocket });
    await areLive();
    sockets[0]?.close();
    expect(sockets[0]?.readyState).toBe(WebSocket.CLOSING);
    stopFirst();
    await notes.create({ title: 'Milk', n: 100 });
    await until(() => titles.filter((text) => text === 'Milk').length === QUERIES - 1);
    expect([late, sockets.length]).toEqual([[], 2]);
  });

  it('that the network has cut silently counts as lost, and is replaced', async () => {
    const proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(service.url).port) });
    cleanups.push(() => proxy.cut());
    const client = await service.user<App>({ live, url: `http://127.0.0.1:${proxy.port}`, webSocket: WebSocket });
    const states: LiveState[] = [];
    const notes = client.collection(await service.collection());
    cleanups.push(notes.query().live(() => undefined, { onState: (state) => states.push(state) }));
    await until(() => states.at(-1) === 'live');
    proxy.freeze();
    await until(() => states.at(-1) === 'connecting');
    await proxy.mend();
    await until(() => states.at(-1) === 'live');
  });
});
