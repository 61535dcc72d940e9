import type { Answer, CallOptions, World } from './backend.ts';
import { expectStatus } from './people.ts';

/** A change in a response. */
export interface ShownChange {
  readonly type: 'put' | 'gone';
  readonly collection: string;
  readonly id: string;
  readonly version?: number;
  // biome-ignore lint/suspicious/noExplicitAny: documents have any shape
  readonly document?: any;
}

/** Formats a change in one line: `put 1 <id>`, `gone <id>`. */
const inShort = ({ type, id, version }: ShownChange) => (type === 'put' ? `put ${version} ${id}` : `gone ${id}`);

/** Follows the feed as one caller, with a replica of the received documents. */
export function createFollower(world: World, options: CallOptions, query = '') {
  let since: string | null = null;
  const replica = new Map<string, ShownChange>();
  /** All responses as text, to search for canaries. */
  let seen = '';

  const page = (from: string | null, more = '') =>
    world.call('GET', `/changes?${from === null ? '' : `since=${from}&`}${query}${more}`, options);

  function take(changes: readonly ShownChange[]): void {
    for (const change of changes) {
      const before = replica.get(change.id)?.version ?? 0;
      if (change.type === 'gone') replica.delete(change.id);
      else if ((change.version ?? 0) < before) throw new Error(`an older state of ${change.id} after a newer one`);
      else replica.set(change.id, change);
    }
  }

  /** Reads all pages of committed changes. */
  async function read(more = ''): Promise<ShownChange[]> {
    await world.caughtUp();
    const all: ShownChange[] = [];
    for (;;) {
      const { body, data, text } = await expectStatus(page(since, more), 200);
      seen += text;
      since = body.next;
      take(data);
      all.push(...data);
      if (!body.more) return all;
    }
  }

  return {
    /** Reads one page of committed changes. */
    async ask(from: string | null, more = ''): Promise<Answer> {
      await world.caughtUp();
      return page(from, more);
    },
    read,
    /** Returns the next changes, each in one line. */
    news: async (more = '') => (await read(more)).map(inShort),
    /** Continues from the current end of the feed. */
    async begin(): Promise<void> {
      await world.caughtUp();
      since = (await expectStatus(page(null), 200)).body.next;
    },
    /** Continues from the beginning of the feed. */
    startOver(): void {
      since = '0';
      replica.clear();
    },
    goOn(cursor: string): void {
      since = cursor;
    },
    /** Returns the response for the next page, with any status. */
    async next(): Promise<Answer> {
      await world.caughtUp();
      return page(since);
    },
    get since() {
      return since;
    },
    get seen() {
      return seen;
    },
    /** Returns the ids of received documents that are not gone. */
    ids: () => [...replica.keys()].toSorted(),
  };
}
