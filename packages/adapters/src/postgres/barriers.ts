/** Channel on which processes join, leave and ask the others to confirm earlier notifications. */
export const MEMBERS = 'baobab_members';

/** Returns the channel on which a process receives its answers. */
export const channelOf = (id: string) => `baobab_${id}`;

/**
 * Time a process trusts its caches after the last check of its connection, in milliseconds. Also the longest wait for
 * a process that does not answer.
 */
export const LEASE_MS = 3_000;

export interface BarrierOptions {
  /** Sends a notification on the listening connection. Resolves after its commit. */
  readonly notify: (channel: string, payload: string) => Promise<unknown>;
  /** Resolves after the arrival of all notifications committed earlier. */
  readonly catchUp: () => Promise<unknown>;
}

interface Barrier {
  readonly number: number;
  readonly waiters: Set<() => void>;
  /** Members that have not answered. Null until this process receives its own question, and so every earlier join. */
  missing: Set<string> | null;
}

/**
 * Waits until every process on a database has received all notifications committed so far. Postgres delivers them in
 * commit order, so an answer to a later question is sufficient. See ADR 15.
 */
export function createBarriers({ notify, catchUp }: BarrierOptions) {
  /** By id: end of the time in which a member may trust its caches without answering. */
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

  /** A process that does not answer within a lease has lost it, and rejoins with another id. */
  async function expire(barrier: Barrier): Promise<void> {
    if (current !== barrier) return;
    try {
      await catchUp();
    } catch {
      return; // the barrier ends with the connection
    }
    if (current !== barrier) return;
    for (const id of barrier.missing ?? []) members.delete(id);
    end(barrier);
  }

  /** Moves the waiters to the next barrier. Their time limit still applies. */
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

  /** `former` is the previous id of a process that lost its connection, and with it dropped its caches. */
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
    /** The connection works again. From now on, this process answers questions. */
    enter(id: string): void {
      self = id;
      // Members that lost their connection meanwhile may trust their caches for one more lease, and will not answer.
      const end = performance.now() + LEASE_MS;
      for (const [member, until] of members) members.set(member, Math.min(until, end));
    },
    /** `others` joined before this process. Later ones announce themselves. */
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
    /** True if no other process is known. */
    get isAlone(): boolean {
      return members.size === 0;
    },
    /** Resolves when all others have received everything committed before, or no longer trust their caches. */
    heard(): Promise<void> {
      const promise = new Promise<void>((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          next.delete(finish);
          current?.waiters.delete(finish);
          resolve();
        };
        // By then, a process that has not received it has no lease any more.
        const timer = setTimeout(finish, LEASE_MS);
        next.add(finish);
      });
      pending.add(promise);
      void promise.then(() => pending.delete(promise));
      begin();
      return promise;
    },
    /** Resolves when all current calls of `heard` have resolved. */
    async settle(): Promise<void> {
      await Promise.all(pending);
    },
  };
}
