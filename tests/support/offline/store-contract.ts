import type { OfflineStore } from '@baobab/client/offline';

/** Contract of `OfflineStore`. It needs no test runner, so that it can also run in a page. */

interface OpenedStore {
  readonly store: OfflineStore;
  /** Returns another handle on the same entries, as in another tab. */
  again(): OfflineStore;
  /** Returns a store limited to a few megabytes. */
  small(): Promise<OfflineStore>;
}

type Scenario = (opened: OpenedStore) => Promise<void>;

function equal(found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`expected ${b}, found ${a}`);
}

async function failureOf(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure');
}

const put = (store: OfflineStore, entries: Readonly<Record<string, unknown>>) =>
  store.update([], () => Object.entries(entries));

async function valueAt(store: OfflineStore, key: string): Promise<unknown> {
  let value: unknown;
  await store.update([key], ([found]) => {
    value = found;
    return [];
  });
  return value;
}

/** Returns incompressible text. */
function noise(length: number, seed: number): string {
  let [text, state] = ['', seed];
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += state.toString(36);
  }
  return text;
}

const CHUNK = 200_000;
const CHUNKS = 200;

export const STORE_CONTRACT: Readonly<Record<string, Scenario>> = {
  async 'is empty at first'({ store }) {
    equal(await store.list(''), []);
    equal([await valueAt(store, 'a')], [undefined]);
  },

  async 'lists the entries of a prefix, in the order of their keys'({ store }) {
    await put(store, { 'a/2': 2, 'a/10': 10, b: 1, 'a/1': 1, a: 0, 'a/ж': 3, a0: 4 });
    equal(await store.list('a/'), [
      ['a/1', 1],
      ['a/10', 10],
      ['a/2', 2],
      ['a/ж', 3],
    ]);
    equal((await store.list('')).length, 7);
    equal(await store.list('c'), []);
  },

  async 'takes keys of any text'({ store }) {
    const keys = ['', ' ', '"q"', "'", '%_', '[1]', 'a\\b', '\ufb01', '😀', '😀/1'];
    await put(store, Object.fromEntries(keys.map((key, at) => [key, at])));
    equal(
      (await store.list('')).map(([key]) => key),
      [...keys].sort(),
    );
    equal(await store.list('😀'), [
      ['😀', 8],
      ['😀/1', 9],
    ]);
    for (const [at, key] of keys.entries()) equal(await valueAt(store, key), at);
  },

  async 'takes many entries and large values at once'({ store, again }) {
    const large = noise(CHUNK, 1);
    const entries = Array.from({ length: 2_000 }, (_, at) => [`k${at}`, { at }] as const);
    await store.update([], () => [...entries, ['large', large], ['k0', undefined], ['k0', { at: -1 }]]);
    const read = again();
    equal((await read.list('k')).length, entries.length);
    equal(await valueAt(read, 'large'), large);
    const keys = entries.map(([key]) => key);
    await read.update(keys, (values) => {
      equal(values, [{ at: -1 }, ...entries.slice(1).map(([, value]) => value)]);
      return keys.map((key) => [key, undefined]);
    });
    equal((await store.list('')).length, 1);
  },

  async 'keeps JSON of every kind'({ store, again }) {
    const value = { text: 'ж 😀 "\\', none: null, list: [1.5, -0.25, [], {}], deep: { yes: true, no: false } };
    await put(store, { value });
    equal(await valueAt(again(), 'value'), value);
  },

  async 'reads, changes and removes several entries at once'({ store }) {
    await put(store, { a: 1, b: 2 });
    await store.update(['b', 'none', 'a'], ([b, none, a]) => {
      equal([b, none, a], [2, undefined, 1]);
      return [
        ['a', undefined],
        ['b', 3],
        ['c', 4],
      ];
    });
    equal(await store.list(''), [
      ['b', 3],
      ['c', 4],
    ]);
  },

  async 'keeps copies'({ store }) {
    const value = { list: [1] };
    await put(store, { value });
    value.list.push(2);
    const found = (await valueAt(store, 'value')) as typeof value;
    found.list.push(3);
    equal(await valueAt(store, 'value'), { list: [1] });
  },

  async 'changes nothing when the change throws, and fails with what it threw'({ store }) {
    await put(store, { a: 1 });
    const thrown = new TypeError('no');
    const failure = await failureOf(
      store.update(['a'], () => {
        throw thrown;
      }),
    );
    equal(failure === thrown, true);
    equal(await store.list(''), [['a', 1]]);
    await put(store, { a: 2 });
    equal(await valueAt(store, 'a'), 2);
  },

  async 'lets nothing come between the reading and the writing'({ store, again }) {
    const stores = [store, again(), again()];
    const increments = Array.from({ length: 60 }, (_, at) =>
      stores[at % stores.length]?.update(['n'], ([n = 0]) => [['n', Number(n) + 1]]),
    );
    await Promise.all(increments);
    equal(await valueAt(store, 'n'), 60);
  },

  async 'clears a prefix'({ store, again }) {
    await put(store, { 'a/1': 1, 'a/2': 2, a: 0, b: 3 });
    await store.clear('a/');
    equal(await again().list(''), [
      ['a', 0],
      ['b', 3],
    ]);
    await store.clear('');
    equal(await store.list(''), []);
  },

  async 'keeps entries when a handle is closed'({ store, again }) {
    const other = again();
    await put(other, { a: 1 });
    other.close();
    equal(await store.list(''), [['a', 1]]);
  },

  async 'says that there is no room, and keeps what it has'({ small }) {
    const store = await small();
    let stored = 0;
    let failure: Error | null = null;
    while (failure === null && stored < CHUNKS) {
      try {
        await put(store, { [`k${stored}`]: noise(CHUNK, stored + 1) });
        stored++;
      } catch (error) {
        failure = error as Error;
      }
    }
    equal(failure?.name, 'QuotaExceededError');
    equal(stored > 0, true);
    equal((await store.list('k')).length, stored);
    equal(await valueAt(store, 'k0'), noise(CHUNK, 1));
    await store.clear('');
  },
};
