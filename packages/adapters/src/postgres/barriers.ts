/** On it processes join, leave, and ask whether the others have heard. */
export const MEMBERS = 'baobab_members';

/** The channel on which a process gets its answers. */
export const channelOf = (id: string) => `baobab_${id}`;

/**
 * How long a process trusts its caches after it last asked whether its connection works, milliseconds. Nobody has to wait
 * longer than that for one that does not answer.
 */
export const LEASE_MS = 3_000;

export interface BarrierOptions {
  /** Sends a notification on the connection that listens; resolves when it is committed. */
  readonly notify: (channel: string, payload: string) => Promise<unknown>;
  /** Resolves when all notifications have arrived that were committed before. */
  readonly catchUp: () => Promise<unknown>;
}

interface Barrier {
  readonly number: number;
  readonly waiters: Set<() => void>;
  /** Who has not answered; null until the question itself was heard, and with it who joined before. */
  missing: Set<string> | null;
}

/**
 * Finds out when every process on a database has heard all notifications committed so far. Postgres delivers them in the
 * order of their commits, so an answer to a question that was asked after them will do. See ADR 34.
 */
export function createBarriers({ notify, catchUp }: BarrierOptions) {
  /** By id, until when the process may trust its caches unless it answers. */
  const members = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  let self: string | null = null;
  let knowsMembers = false;
  let count = 0;
  let next = new Set<() => void>();
  let current: Barrier | null = null;

  function begin(): void {
    if (current !== null || self === null || !knowsMembers || next.size === 0) return;
    const barrier: Barrier = { number: ++count, waiters: next, missing: null };
    next = new Set();
    current = barrier;
    notify(MEMBERS, `ask:${self}:${barrier.number}`).then(
      () => setTimeout(() => void expire(barrier), LEASE_MS).unref(),
      () => abandon(barrier),
    );
  }

  function end(barrier: Barrier): void {
    if (current !== barrier) return;
    current = null;
    for (const resolve of barrier.waiters) resolve();
    begin();
  }

  function endIfAnswered(): void {
    if (current?.missing?.size === 0) end(current);
  }

  /** A process that has not answered for the time of a lease has none, and comes back under another id. */
  async function expire(barrier: Barrier): Promise<void> {
    if (current !== barrier) return;
    try {
      await catchUp();
    } catch {
      return; // the connection is lost, and the barrier with it
    }
    if (current !== barrier) return;
    for (const id of barrier.missing ?? []) members.delete(id);
    end(barrier);
  }

  /** Its waiters wait for the next one, but no longer than they would have. */
  function abandon(barrier: Barrier): void {
    if (current !== barrier) return;
    current = null;
    for (const waiter of barrier.waiters) next.add(waiter);
  }

  function asked(id: string, number: string): void {
    if (id !== self) {
      if (self !== null) notify(channelOf(id), `${self}:${number}`).catch(() => undefined);
      return;
    }
    if (current?.number !== Number(number)) return;
    const now = performance.now();
    for (const [member, until] of members) if (until <= now) members.delete(member);
    current.missing = new Set(members.keys());
    endIfAnswered();
  }

  /** A process that lost its connection names the id that it had, and has dropped its caches. */
  function arrive(id: string, former: string): void {
    members.set(id, Number.POSITIVE_INFINITY);
    leave(former);
  }

  function leave(id: string): void {
    members.delete(id);
    current?.missing?.delete(id);
    endIfAnswered();
  }

  function answered(id: string, number: string): void {
    if (current?.number !== Number(number)) return;
    current.missing?.delete(id);
    endIfAnswered();
  }

  return {
    /** There is a connection again; questions of others are answered from now on. */
    enter(id: string): void {
      self = id;
      // Those whose connection ended meanwhile may trust their caches for a while, and will not answer.
      const end = performance.now() + LEASE_MS;
      for (const [member, until] of members) members.set(member, Math.min(until, end));
    },
    /** `others` were there before this process joined; those who join later say so. */
    join(others: readonly string[]): void {
      for (const id of others) members.set(id, Number.POSITIVE_INFINITY);
      knowsMembers = true;
      begin();
    },
    lose(): void {
      self = null;
      knowsMembers = false;
      if (current !== null) abandon(current);
    },
    receive(channel: string, payload: string): void {
      const [first = '', id = '', rest = ''] = payload.split(':');
      if (channel !== MEMBERS) answered(first, id);
      else if (first === 'ask') asked(id, rest);
      else if (first === 'leave') leave(id);
      else if (first === 'join' && id !== self) arrive(id, rest);
    },
    /** Resolves when all others have heard what was committed before, or trust no cache until they have. */
    heard(): Promise<void> {
      const promise = new Promise<void>((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          next.delete(finish);
          current?.waiters.delete(finish);
          resolve();
        };
        // Whoever has not heard it by then has no lease any more.
        const timer = setTimeout(finish, LEASE_MS);
        next.add(finish);
      });
      pending.add(promise);
      void promise.then(() => pending.delete(promise));
      begin();
      return promise;
    },
    /** Resolves when nobody waits any more of those who do now. */
    async settle(): Promise<void> {
      await Promise.all(pending);
    },
  };
}
