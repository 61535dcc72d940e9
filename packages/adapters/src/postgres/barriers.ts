/** The channel on which processes join, leave, and ask whether the others have received earlier notifications. */
export const MEMBERS = 'baobab_members';

/** The channel on which a process receives its answers. */
export const channelOf = (id: string) => `baobab_${id}`;

/**
 * How long a process trusts its caches after its last check that the connection works, in milliseconds. Nobody waits
 * longer than this for a process that does not answer.
 */
export const LEASE_MS = 3_000;

export interface BarrierOptions {
  /** Sends a notification on the listening connection; resolves when it is committed. */
  readonly notify: (channel: string, payload: string) => Promise<unknown>;
  /** Resolves when all notifications that were committed earlier have arrived. */
  readonly catchUp: () => Promise<unknown>;
}

interface Barrier {
  readonly number: number;
  readonly waiters: Set<() => void>;
  /** Members that have not answered; null until this process has received its own question, and every earlier join. */
  missing: Set<string> | null;
}

/**
 * Finds out when every process on a database has received all notifications committed so far. Postgres delivers them in
 * commit order, so the answer to a question that was asked later is sufficient. See ADR 15.
 */
export function createBarriers({ notify, catchUp }: BarrierOptions) {
  /** By id: until when the process may trust its caches if it does not answer. */
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

  /** A process that has not answered for the length of a lease has lost it, and rejoins under another id. */
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

  /** Its waiters move to the next barrier; their own time limit still applies. */
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

  /** A process that lost its connection names its former id; it has dropped its caches. */
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
    /** The connection works again; from now on this process answers the questions of others. */
    enter(id: string): void {
      self = id;
      // Members whose connection was lost meanwhile may trust their caches for one more lease, and will not answer.
      const end = performance.now() + LEASE_MS;
      for (const [member, until] of members) members.set(member, Math.min(until, end));
    },
    /** `others` joined before this process; processes that join later announce themselves. */
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
    /** Whether no other process is known. */
    get isAlone(): boolean {
      return members.size === 0;
    },
    /** Resolves when all others have received what was committed before, or no longer trust their caches. */
    heard(): Promise<void> {
      const promise = new Promise<void>((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          next.delete(finish);
          current?.waiters.delete(finish);
          resolve();
        };
        // A process that has not received it by then no longer has a lease.
        const timer = setTimeout(finish, LEASE_MS);
        next.add(finish);
      });
      pending.add(promise);
      void promise.then(() => pending.delete(promise));
      begin();
      return promise;
    },
    /** Resolves when everybody who waits now has finished waiting. */
    async settle(): Promise<void> {
      await Promise.all(pending);
    },
  };
}
