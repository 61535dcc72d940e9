/** Steps of the model that involve two users: following with consent, and blocks. */

export type Policy = 'anyone' | 'approve' | 'nobody' | null;

/** Calls of `user` on `other`, and calls of the administrator on both: method and path. */
const PAIR_CALLS = {
  follow: ['POST', '/follow/OTHER'],
  unfollow: ['DELETE', '/follow/OTHER'],
  accept: ['PUT', '/me/follow-requests/OTHER'],
  decline: ['DELETE', '/me/follow-requests/OTHER'],
  'remove follower': ['DELETE', '/followers/OTHER'],
  block: ['POST', '/block/OTHER'],
  unblock: ['DELETE', '/block/OTHER'],
  'admin follow': ['POST', '/admin/Fw/USER/to/OTHER'],
  'admin unfollow': ['DELETE', '/admin/Fw/USER/to/OTHER'],
} as const;

/** Calls by the followed user on followers and on users with a pending request. */
const ASKED: ReadonlySet<string> = new Set(['accept', 'decline', 'remove follower', 'block', 'unblock']);

export type PairOp = keyof typeof PAIR_CALLS;

export type PairStep = { readonly op: PairOp; readonly user: number; readonly other: number };
export type FollowStep = PairStep | { readonly op: 'policy'; readonly user: number; readonly policy: Policy };

export const isFollowStep = (step: { readonly op: string }): step is FollowStep =>
  step.op === 'policy' || step.op in PAIR_CALLS;

export interface FollowCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Null for the administrator. */
  readonly by: number | null;
}

/** Returns the call of a step. @param nameOf returns the name of a user */
export function followCall(step: FollowStep, nameOf: (place: number) => string): FollowCall {
  if (step.op === 'policy') {
    return { method: 'PUT', path: '/me/following-policy', body: { followers: step.policy }, by: step.user };
  }
  const [method, pattern] = PAIR_CALLS[step.op];
  const path = pattern.replace('USER', nameOf(step.user)).replace('OTHER', nameOf(step.other));
  return { method, path, by: step.op.startsWith('admin') ? null : step.user };
}

interface Choices {
  user(): number;
  /** Returns a user who is often one of a few for each user, so that several steps concern the same pair. */
  near(user: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Returns the kinds of steps with their weights. */
export function followSteps({
  user,
  near,
  pick,
}: Choices): ReadonlyArray<readonly [weight: number, make: () => FollowStep]> {
  const weights: Readonly<Record<PairOp, number>> = {
    follow: 30,
    unfollow: 8,
    accept: 12,
    decline: 3,
    'remove follower': 4,
    block: 6,
    unblock: 8,
    'admin follow': 3,
    'admin unfollow': 2,
  };
  const between = (op: PairOp, one: number): PairStep => {
    const other = near(one);
    // The requested user answers.
    return ASKED.has(op) ? { op, user: other, other: one } : { op, user: one, other };
  };
  const pairs = (Object.entries(weights) as Array<[PairOp, number]>).map(
    ([op, weight]) => [weight, () => between(op, user())] as const,
  );
  const policies: readonly Policy[] = ['anyone', 'approve', 'approve', 'nobody', null];
  return [...pairs, [14, () => ({ op: 'policy', user: user(), policy: pick(policies) })]];
}
