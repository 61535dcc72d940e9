import type { Answer } from '../backend.ts';
import type { Oracle } from './oracle.ts';
import { type Caller, type Random, USERS } from './steps.ts';

export interface PeopleChecksDeps {
  readonly oracle: Oracle;
  readonly random: Random;
  userName(place: number): string;
  /** Sends a request; resolves to a response with any status. */
  ask(caller: Caller, url: string): Promise<Answer>;
  /** @throws `Difference` */
  expectSame(what: string, found: unknown, expected: unknown): void;
}

const OWN = ['/followers', '/following', '/me/follow-requests', '/blocked'] as const;
const LISTS = ['followers', 'following'] as const;

/** Compares the profiles and user lists visible to a caller with the predictions of the oracle. */
export function createPeopleChecks({ oracle, random, userName, ask, expectSame }: PeopleChecksDeps) {
  const prefix = userName(0).slice(0, -1);
  const where = `where=${encodeURIComponent(`user.name like '${prefix}%'`)}`;

  async function profile(caller: Caller, place: number): Promise<void> {
    const { status, data } = await ask(caller, `/user/${userName(place)}`);
    const expected = oracle.profile(caller, place);
    const found = { status, friend: status === 200 && data.visibleByFriend !== null };
    expectSame(`${caller}: GET /user/${userName(place)}`, found, expected);
  }

  /** Compares a list in one page, in several pages, and its count. */
  async function list(caller: Caller, path: string, places: readonly number[]): Promise<void> {
    const names = places.map(userName);
    const url = `${path}?${where}`;
    const size = 1 + random.below(4);
    const found: string[] = [];
    for (let next = ''; ; ) {
      const { status, data, body, text } = await ask(caller, `${url}&recordsPerPage=${size}${next}`);
      if (status !== 200) return expectSame(`${caller}: GET ${url}`, `${status} ${text}`, names);
      for (const { user } of data) found.push(user.name);
      if (!body.more) break;
      next = `&cursor=${body.next}`;
    }
    expectSame(`${caller}: GET ${url} by pages of ${size}`, found, names);
    const { data } = await ask(caller, `${url}&count=true`);
    expectSame(`${caller}: GET ${url}&count=true`, data, [{ count: names.length }]);
  }

  async function refused(caller: Caller, path: string): Promise<void> {
    expectSame(`${caller}: GET ${path}`, (await ask(caller, path)).status, 401);
  }

  /** Compares every list of the caller's own, one of them also page by page. */
  async function own(caller: Caller): Promise<void> {
    const chosen = random.pick(OWN);
    for (const path of OWN) {
      if (!oracle.isUser(caller) && caller !== 'admin') {
        await refused(caller, path);
        continue;
      }
      const places = oracle.people(caller, path);
      const { data } = await ask(caller, path);
      const names = data?.map(({ user }: { user: { name: string } }) => user.name);
      expectSame(`${caller}: GET ${path}`, names, places.map(userName));
      if (path === chosen) await list(caller, path, places);
    }
  }

  async function lists(caller: Caller, of: number): Promise<void> {
    for (const kind of LISTS) {
      const path = `/${kind}/${userName(of)}`;
      if (caller === 'anonymous' || !oracle.canSignIn(caller)) await refused(caller, path);
      else await list(caller, path, oracle.people(caller, kind, of));
    }
  }

  async function all(caller: Caller): Promise<void> {
    if (caller === 'anonymous' || !oracle.canSignIn(caller)) return refused(caller, '/users');
    await list(caller, '/users', oracle.people(caller, '/users'));
  }

  return {
    /** Compares a profile and some lists. @throws `Difference` */
    async someOf(caller: Caller): Promise<void> {
      await profile(caller, random.below(USERS));
      await random.pick([
        () => own(caller),
        () => own(caller),
        () => lists(caller, random.below(USERS)),
        () => all(caller),
      ])();
    },
    /** Compares every profile and list. @throws `Difference` */
    async allOf(caller: Caller): Promise<void> {
      for (let place = 0; place < USERS; place++) {
        await profile(caller, place);
        await lists(caller, place);
      }
      await own(caller);
      await all(caller);
    },
  };
}
