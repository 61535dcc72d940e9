import type { PairOp, Policy } from './follow-steps.ts';

/** The part of the oracle for follows, requests and blocks. Users are identified by their serials. */
export function createFollowOracle() {
  const follows = new Set<string>();
  const requests = new Set<string>();
  const blocks = new Set<string>();
  const policies = new Map<number, Policy>();

  const pair = (one: number, other: number) => `${one} ${other}`;

  function relate(one: number, other: number): void {
    follows.add(pair(one, other));
    requests.delete(pair(one, other));
  }

  function follow(by: number, other: number): number {
    if (by === other || follows.has(pair(by, other))) return 400;
    if (blocks.has(pair(by, other))) return 403;
    const policy = policies.get(other) ?? 'anyone';
    if (policy === 'nobody') return 403;
    if (policy === 'approve') requests.add(pair(by, other));
    else relate(by, other);
    return policy === 'approve' ? 202 : 201;
  }

  function accept(by: number, other: number): number {
    if (!requests.has(pair(other, by))) return 404;
    relate(other, by);
    return 200;
  }

  function block(by: number, other: number): number {
    if (by === other) return 400;
    for (const ends of [pair(by, other), pair(other, by)]) {
      follows.delete(ends);
      requests.delete(ends);
    }
    const status = blocks.has(pair(by, other)) ? 200 : 201;
    blocks.add(pair(by, other));
    return status;
  }

  function forceFollow(one: number, other: number): number {
    if (one === other || follows.has(pair(one, other))) return 400;
    relate(one, other);
    return 200;
  }

  const ended = (set: Set<string>, one: number, other: number) => (set.delete(pair(one, other)) ? 200 : 404);

  const apply: Readonly<Record<PairOp, (by: number, other: number) => number>> = {
    follow,
    unfollow: (by, other) => Math.min(ended(follows, by, other), ended(requests, by, other)),
    accept,
    decline: (by, other) => ended(requests, other, by),
    'remove follower': (by, other) => ended(follows, other, by),
    block,
    unblock: (by, other) => ended(blocks, by, other),
    'admin follow': forceFollow,
    'admin unfollow': (one, other) => ended(follows, one, other),
  };

  const blocked = (blocker: number, other: number) => blocks.has(pair(blocker, other));

  return {
    /** Returns the status of a step on two existing users. */
    apply(op: PairOp, by: number, other: number): number {
      const isHidden = !op.startsWith('admin') && blocked(other, by);
      return isHidden ? 404 : apply[op](by, other);
    },
    choose(user: number, policy: Policy): number {
      policies.set(user, policy);
      return 200;
    },
    follows: (one: number, other: number) => follows.has(pair(one, other)),
    /** Returns true if a user belongs to a list of the user `mine`. */
    isListed(list: string, mine: number, theirs: number): boolean {
      if (list.endsWith('followers')) return follows.has(pair(theirs, mine));
      if (list.endsWith('following')) return follows.has(pair(mine, theirs));
      return list === '/blocked' ? blocked(mine, theirs) : requests.has(pair(theirs, mine));
    },
    blocks: blocked,
  };
}
