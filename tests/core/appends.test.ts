import { describe, expect, it } from 'vitest';
import { parseTrace } from '../../packages/core/src/documents/append-trace.ts';
import { createAppendWatches, holdWatches, type ListChange } from '../../packages/core/src/documents/appends.ts';

const taken = expect.objectContaining({ code: 'field.index_taken' });
const START = 1_000_000;

const fill = (index: number): ListChange => ({ index, kind: 'fill' });
const push = (index: number): ListChange => ({ index, kind: 'push' });
const replace = (index: number): ListChange => ({ index, kind: 'replace' });

/** Several processes on one machine, and the record of appends to one document. */
function createWorld() {
  let now = START;
  let trace: string | null = null;
  const process = (node: string) => {
    const watch = createAppendWatches({ node, clock: { now: () => Math.floor(now) }, steady: () => now });
    return {
      watch,
      call: (sentAfter: number | null = null, list = 'list') => watch(list, { sentAfter }),
    };
  };
  type Call = ReturnType<ReturnType<typeof process>['call']>;
  return {
    process,
    now: () => now,
    wait: (ms: number) => {
      now += ms;
    },
    /** The operation that a call runs when its turn comes. */
    judge: (call: Call, change: ListChange) => {
      trace = call.judge(change, trace);
    },
    does: (call: Call, change: ListChange) => {
      trace = call.judge(change, trace);
      call.wrote();
      now += 1;
      call.end();
    },
    trace: () => trace,
  };
}

describe('two calls that set the same index', () => {
  it('conflict when the second would replace the element that the first is appending', () => {
    const { process, judge, wait } = createWorld();
    const { call } = process('a');
    const [first, second] = [call(), call()];
    judge(first, fill(0));
    expect(() => judge(second, replace(0))).toThrow(taken);
    const third = call();
    expect(() => judge(third, replace(0))).toThrow(taken);
    first.wrote();
    wait(1);
    first.end();
    expect(() => judge(third, replace(0))).toThrow(taken);
  });

  it('conflict when the index was free at first and has been taken since, whoever took it', () => {
    const { process, judge } = createWorld();
    const call = process('a').call();
    judge(call, fill(0));
    expect(() => judge(call, replace(0))).toThrow(taken);
  });

  it('conflict when the second was sent before the first was acknowledged, even when it is evaluated later', () => {
    const { process, does, judge, now, wait } = createWorld();
    const { call } = process('a');
    const opened = now();
    wait(1);
    does(call(), fill(0));
    wait(300);
    expect(() => judge(call(opened), replace(0))).toThrow(taken);
    expect(() => judge(call(now()), replace(0))).not.toThrow();
    wait(60_000);
    expect(() => judge(call(opened), replace(0))).not.toThrow();
  });

  it('conflict when another process appended and may not have acknowledged it yet', () => {
    const { process, does, judge, now, wait } = createWorld();
    const [here, there] = [process('a'), process('b')];
    const opened = now();
    wait(100);
    does(here.call(), fill(0));
    expect(() => judge(there.call(opened), replace(0))).toThrow(taken);
    expect(() => judge(there.call(now()), replace(0))).toThrow(taken);
    expect(() => judge(here.call(now()), replace(0))).not.toThrow();
    expect(() => judge(there.call(opened, 'other'), replace(0))).not.toThrow();
    expect(() => judge(there.call(opened), replace(1))).not.toThrow();
    wait(600);
    expect(() => judge(there.call(now()), replace(0))).not.toThrow();
    expect(() => judge(there.call(opened), replace(0))).toThrow(taken);
  });

  it('conflict when the first appended at the end of the list', () => {
    const { process, does, judge, now } = createWorld();
    const [here, there] = [process('a'), process('b')];
    const opened = now();
    for (let n = 0; n < 100; n++) does(here.call(), push(n));
    for (const index of [0, 50, 99]) {
      expect(() => judge(here.call(opened), replace(index))).toThrow(taken);
      expect(() => judge(there.call(opened), replace(index))).toThrow(taken);
    }
    expect(() => judge(here.call(now()), replace(99))).not.toThrow();
  });

  it('both append when the list has grown and shrunk again', () => {
    const { process, judge } = createWorld();
    const { call } = process('a');
    const [first, second] = [call(), call()];
    judge(first, fill(0));
    judge(second, fill(0));
    expect(() => judge(first, fill(0))).not.toThrow();
  });

  it.each([
    ['the first failed', false],
    ['it is another element', true],
  ])('do not conflict when %s', (_what, isWritten) => {
    const { process, judge } = createWorld();
    const { call } = process('a');
    const [first, second] = [call(), call()];
    judge(first, fill(isWritten ? 1 : 0));
    if (isWritten) first.wrote();
    first.end();
    second.judge(replace(0), null);
  });

  it('do not conflict when both replace, or when one follows the other', () => {
    const { process, does } = createWorld();
    const { call } = process('a');
    const [first, second] = [call(), call()];
    does(first, replace(0));
    does(second, replace(0));
    does(call(), fill(1));
    does(call(), replace(1));
  });
});

describe('calls of one transaction', () => {
  it('replace elements that the same transaction appended', () => {
    const { process, judge } = createWorld();
    const held = holdWatches(process('a').watch);
    for (const change of [fill(0), replace(0), replace(0), push(1), replace(1)]) {
      const call = held.watchAppends('list', { sentAfter: null });
      judge(call, change);
      call.wrote();
      call.end();
    }
  });

  it('conflict with other calls until the transaction ends', () => {
    const { process, judge, now, wait } = createWorld();
    const { watch, call } = process('a');
    const held = holdWatches(watch);
    const opened = now();
    judge(held.watchAppends('list', { sentAfter: null }), fill(0));
    held.watchAppends('list', { sentAfter: null }).wrote();
    expect(() => judge(call(), replace(0))).toThrow(taken);
    wait(1);
    held.end();
    expect(() => judge(call(opened), replace(0))).toThrow(taken);
    expect(() => judge(call(), replace(0))).not.toThrow();
  });

  it('do not replace elements that other calls appended before the transaction was retried', () => {
    const { process, does, judge } = createWorld();
    const { watch, call } = process('a');
    const held = holdWatches(watch);
    const first = held.watchAppends('list', { sentAfter: null });
    judge(first, fill(0));
    first.wrote();
    held.undo();
    does(call(), push(0));
    expect(() => judge(held.watchAppends('list', { sentAfter: null }), replace(0))).toThrow(taken);
  });
});

describe('the record of appends in a document', () => {
  it('stays short, whatever is appended', () => {
    const { process, does, trace, wait } = createWorld();
    const { call } = process('a');
    for (let n = 0; n < 500; n++) {
      does(call(null, n % 3 === 0 ? `list ${n}` : 'list'), push(n));
      wait(1);
    }
    expect(parseTrace(trace()).length).toBeLessThanOrEqual(32);
    wait(120_000);
    does(call(), push(500));
    expect(parseTrace(trace())).toHaveLength(1);
  });
});
