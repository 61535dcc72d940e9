import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBarriers, LEASE_MS, MEMBERS } from '../../packages/adapters/src/postgres/barriers.ts';

describe('barriers among processes on Postgres', () => {
  let sent: string[];
  let ends: string[];
  let barriers: ReturnType<typeof createBarriers>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    sent = [];
    ends = [];
    barriers = createBarriers({
      notify: async (channel, payload) => sent.push(`${channel} ${payload}`),
      catchUp: async () => undefined,
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const enter = (...others: string[]) => {
    barriers.enter('1');
    barriers.join(others);
  };
  const change = (name: string) => void barriers.heard().then(() => ends.push(name));
  /** The barrier question, as this process receives it itself. */
  const echo = (number: number) => barriers.receive(MEMBERS, `ask:1:${number}`);
  const answer = (id: string, number: number) => barriers.receive('baobab_1', `${id}:${number}`);
  const settled = () => vi.advanceTimersByTimeAsync(0);

  it('end when every process that was present when the question arrived has answered', async () => {
    enter('2', '3');
    change('a');
    await settled();
    expect(sent).toEqual([`${MEMBERS} ask:1:1`]);
    barriers.receive(MEMBERS, 'join:4:');
    echo(1);
    barriers.receive(MEMBERS, 'join:5:'); // has read nothing before
    for (const id of ['2', '3']) answer(id, 1);
    await settled();
    expect(ends).toEqual([]);
    answer('4', 1);
    await settled();
    expect(ends).toEqual(['a']);
  });

  it('do not wait for processes that left or rejoined', async () => {
    enter('2', '3');
    change('a');
    await settled();
    echo(1);
    barriers.receive(MEMBERS, 'leave:2');
    barriers.receive(MEMBERS, 'join:4:3');
    await settled();
    expect(ends).toEqual(['a']);
  });

  it('wait for the next barrier when the question was asked before the change', async () => {
    enter('2');
    change('a');
    await settled();
    echo(1);
    change('b');
    change('c');
    answer('2', 1);
    await settled();
    expect(ends).toEqual(['a']);
    expect(sent.at(-1)).toBe(`${MEMBERS} ask:1:2`);
    echo(2);
    answer('2', 2);
    await settled();
    expect(ends).toEqual(['a', 'b', 'c']);
  });

  it('wait one lease, once, for a process that does not answer', async () => {
    enter('2');
    change('a');
    await settled();
    echo(1);
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toEqual(['a']);
    change('b');
    await settled();
    echo(2);
    await settled();
    expect(ends).toEqual(['a', 'b']);
  });

  it('are asked again on the next connection, including those whose connection ended meanwhile', async () => {
    enter('2', '3');
    change('a');
    await settled();
    echo(1);
    barriers.lose();
    enter('2');
    await settled();
    expect(sent.at(-1)).toBe(`${MEMBERS} ask:1:2`);
    echo(2);
    answer('2', 2);
    await settled();
    expect(ends).toEqual([]);
    answer('3', 2);
    await settled();
    expect(ends).toEqual(['a']);
  });

  it('end after one lease while there is no connection', async () => {
    change('a');
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toEqual(['a']);
  });

  it('are answered for other processes', async () => {
    enter();
    barriers.receive(MEMBERS, 'ask:7:3');
    expect(sent).toEqual(['baobab_7 1:3']);
  });
});
