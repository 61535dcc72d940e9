import { type BaobabError, createClient, type LiveState } from '@baobab/client';
import { live } from '@baobab/client/live';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const encoder = new TextEncoder();

/** A stream that the test feeds. */
interface Connection {
  readonly since: string | null;
  send(text: string): void;
  end(): void;
}

type Answer = () => Response;

const success =
  (data: unknown, more = {}) =>
  () =>
    Response.json({ result: 'ok', data, ...more });
const failure =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ result: 'error', code, message: code }, { status, headers });

const change = (type: string, id: string, at: string, document?: object) =>
  `id: ${at}\nevent: ${type}\ndata: ${JSON.stringify({ type, collection: 'notes', id, document })}\n\n`;
const put = (id: string, version: number, at: string) =>
  change('put', id, at, { id, '@version': version, _author: 'ann' });
const ready = (at: string) => `id: ${at}\nevent: ready\ndata: {}\n\n`;
const end = (code: string) => `event: end\ndata: {"code":"${code}","message":"${code}"}\n\n`;

describe('the connections of a live query', () => {
  let connections: Connection[] = [];
  let lists = 0;
  /** Answers of the next streams, instead of a stream. */
  let instead: Answer[] = [];
  let listed: Answer = success([]);

  function stream(url: URL, signal: AbortSignal | null | undefined): Response {
    const answer = instead.shift();
    if (answer !== undefined) return answer();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        signal?.addEventListener('abort', () => controller.error(signal.reason));
        connections.push({
          since: url.searchParams.get('since'),
          send: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
        });
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  }

  const service: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    if (url.pathname === '/changes/stream') return stream(url, init?.signal);
    if (url.pathname === '/changes') return success([], { more: false, next: 'now' })();
    lists++;
    return listed();
  };

  function follow() {
    const client = createClient({ url: 'http://service.test', appCode: 'x', keepAlive: 0, live, fetch: service });
    const seen = { ids: '', states: [] as LiveState[], errors: [] as (readonly [string, boolean])[], times: 0 };
    const stop = client
      .collection('notes')
      .query()
      .live(
        (rows) => {
          seen.ids = rows.map((row) => `${row.id}${row['@version']}`).join();
          seen.times++;
        },
        {
          onState: (state) => seen.states.push(state),
          onError: (error: BaobabError, willRetry) => seen.errors.push([error.code, willRetry]),
        },
      );
    return { client, seen, stop };
  }

  /** Lets everything happen that is due. */
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const last = () => connections.at(-1);

  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
    connections = [];
    instead = [];
    lists = 0;
    listed = success([{ id: 'a', '@version': 1, _author: 'ann' }], { more: false });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('begin at the time before the list, and go on from the last event', async () => {
    const { seen, stop } = follow();
    await settle();
    expect([seen.ids, last()?.since, lists]).toEqual(['a1', 'now', 1]);
    last()?.send(put('a', 2, 'c1') + ready('c2'));
    await settle();
    expect([seen.ids, seen.states]).toEqual(['a2', ['connecting', 'live']]);
    // The id of a comment counts too.
    last()?.send(':\nid: c3\n\n');
    await settle();
    last()?.end();
    await vi.advanceTimersByTimeAsync(299);
    expect(connections.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([connections.length, last()?.since, lists]).toEqual([2, 'c3', 1]);
    last()?.send(put('a', 2, 'c4') + put('b', 1, 'c5') + ready('c5'));
    await settle();
    expect([seen.ids, seen.times, seen.errors]).toEqual(['a2,b1', 3, []]);
    stop();
  });

  it('wait longer each time, at least as long as the service asks for, and never give up', async () => {
    const { seen, stop } = follow();
    instead = [
      failure(429, 'changes.too_many_streams', { 'Retry-After': '40' }),
      failure(503, 'changes.unavailable', { 'Retry-After': '5' }),
      () => new Response('<html>', { status: 200 }),
    ];
    await settle();
    expect(seen.errors).toEqual([['changes.too_many_streams', true]]);
    await vi.advanceTimersByTimeAsync(39_999);
    expect(seen.errors.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.errors.at(-1)).toEqual(['changes.unavailable', true]);
    await vi.advanceTimersByTimeAsync(5_600);
    expect(seen.errors.at(-1)).toEqual(['client.answer', true]);
    await vi.advanceTimersByTimeAsync(1_200);
    expect([connections.length, lists]).toEqual([1, 1]);
    // Up to date again: the waits begin anew.
    last()?.send(ready('c1'));
    await settle();
    last()?.send(end('service.stopping'));
    last()?.end();
    await vi.advanceTimersByTimeAsync(300);
    expect(connections.length).toBe(2);
    stop();
  });

  it('list again when the service says so, in the stream or instead of one', async () => {
    const { seen, stop } = follow();
    await settle();
    listed = success([{ id: 'b', '@version': 1, _author: 'ann' }], { more: false });
    last()?.send(`${ready('c1')}id: c2\nevent: resync\ndata: {"reason":"group"}\n\n`);
    await settle();
    expect([seen.ids, lists, last()?.since]).toEqual(['b1', 2, 'c2']);
    instead = [failure(400, 'changes.cursor_invalid')];
    last()?.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([lists, last()?.since, seen.errors]).toEqual([3, 'now', []]);
    stop();
  });

  it('are given up when nothing arrives, not even a comment', async () => {
    const { stop } = follow();
    await settle();
    last()?.send(ready('c1'));
    await vi.advanceTimersByTimeAsync(30_000);
    last()?.send(':\n\n');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(connections.length).toBe(1);
    await vi.advanceTimersByTimeAsync(16_000);
    expect([connections.length, last()?.since]).toEqual([2, 'c1']);
    stop();
  });

  it('end with a failure that another attempt would repeat, and with the client', async () => {
    listed = failure(400, 'criteria.invalid');
    const { client, seen } = follow();
    await vi.advanceTimersByTimeAsync(100_000);
    expect([seen.errors, seen.states, lists]).toEqual([[['criteria.invalid', false]], ['connecting', 'failed'], 1]);
    // A new listener is a new attempt.
    listed = success([], { more: false });
    let states = 0;
    const stop = client
      .collection('notes')
      .query()
      .live(() => states++);
    await settle();
    expect([lists, states, connections.length]).toEqual([2, 1, 1]);
    stop();
    client.close();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(connections.length).toBe(1);
  });

  it('survive an event that is no JSON, and an app that throws', async () => {
    const { client, seen, stop } = follow();
    const thrown: unknown[] = [];
    const onThrown = (error: unknown) => thrown.push(error);
    process.once('uncaughtException', onThrown);
    const faulty = client
      .collection('notes')
      .query()
      .live(() => {
        throw new Error('a fault of the app');
      });
    await settle();
    last()?.send('id: c1\nevent: put\ndata: {"id\n\n');
    await vi.advanceTimersByTimeAsync(300);
    expect(seen.errors).toEqual([['client.answer', true]]);
    expect([connections.length, last()?.since]).toEqual([2, 'now']);
    faulty();
    stop();
    vi.useRealTimers();
    await expect.poll(() => thrown.map(String)).toEqual(['Error: a fault of the app']);
  });
});
