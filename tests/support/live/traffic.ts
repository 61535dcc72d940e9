import { createRandom, type Random } from '../authorization/steps.ts';
import { until } from '../patience.ts';
import type { Reply, Sender } from './http.ts';

/** Users with different permissions, and random changes to the documents that users can read. */

export interface Person {
  readonly name: string;
  readonly token: string;
}

/** A document that only one user may ever read, apart from administrators; null: none. */
export interface Canary {
  readonly reader: string | null;
}

export interface TrafficOptions {
  readonly sender: Sender;
  /** Returns the address of a node that is assumed to be running. */
  node(): string;
  readonly adminPassword: string;
  readonly people: number;
  readonly seed: number;
}

/**
 * Canaries are in the first collection; rules let roles read the second one. Documents of the third one inherit from
 * documents of the second one, so its readers are not served by the hub.
 */
export const COLLECTIONS = ['notes', 'lists', 'items'] as const;
/** Parent of the items. */
const PARENT = { field: 'list', collection: COLLECTIONS[1], read: 'read', onDelete: 'detach' };
const ROLES = ['editors', 'clerks'] as const;
const GROUPS = 3;
/** Approximate number of concurrent documents of regular users. */
const DOCUMENTS = 400;
const CANARIES = 60;
const HERMIT = 'hermit';

interface Owned {
  readonly path: string;
  readonly by: Person;
}

/** Picks a choice by weight. */
function weighted<T>(random: Random, choices: ReadonlyArray<readonly [number, T]>): T {
  let left = random.below(choices.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, choice] of choices) {
    if (left < weight) return choice;
    left -= weight;
  }
  throw new Error('no choice has a weight');
}

function removeAt<T>(list: T[], at: number): T | undefined {
  const [last, found] = [list.pop(), list[at]];
  if (last !== undefined && at < list.length) list[at] = last;
  return found ?? last;
}

export async function createTraffic({ sender, node, adminPassword, people: count, seed }: TrafficOptions) {
  const random = createRandom(seed);
  const { below, chance, pick } = random;
  const owned: Owned[] = [];
  const canaries = new Map<string, Canary>();
  const living: Array<{ readonly path: string; readonly id: string }> = [];
  const groups: string[] = [];
  let changes = 0;
  let n = 0;

  const send = (method: string, path: string, token: string | null, body?: unknown) =>
    sender.send(method, node() + path, { token, ...(body === undefined ? {} : { body }) });

  /** Sends a request that must succeed before the traffic begins. */
  async function sure(method: string, path: string, token: string | null, body?: unknown): Promise<Reply['body']> {
    const { status, body: answer } = await send(method, path, token, body);
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  async function person(name: string): Promise<Person> {
    const data = await sure('POST', '/user', null, { username: name, password: 'secret' });
    return { name, token: data['X-BB-SESSION'] };
  }

  const login = await sure('POST', '/login', null, { username: 'admin', password: adminPassword });
  const admin: Person = { name: 'admin', token: login['X-BB-SESSION'] };
  // Members join and leave all the time, so they must not need each other's consent.
  await sure('PUT', '/admin/configuration/Application/group.add.default', admin.token, { value: 'anyone' });
  for (const name of COLLECTIONS) await sure('POST', `/admin/collection/${name}`, admin.token);
  await sure('PUT', `/admin/collection/${COLLECTIONS[2]}/rules`, admin.token, { parent: PARENT });
  for (const name of ROLES) await sure('POST', `/admin/role/${name}`, admin.token);
  const people: Person[] = [];
  for (let at = 0; at < count; at++) people.push(await person(`person${at}`));
  const hermit = await person(HERMIT);
  for (let at = 0; at < GROUPS; at++) {
    groups.push((await sure('POST', '/group', people[at]?.token ?? '', { name: `group ${at}` })).id);
  }

  function grantee(): string {
    return weighted(random, [
      [6, () => `user/${pick(people).name}`],
      [2, () => `role/${pick([...ROLES, 'registereduser', 'anonymous'])}`],
      [3, () => `group/${pick(groups)}`],
    ])();
  }

  /** Sends a request and counts successful document changes. */
  async function change(method: string, path: string, by: Person, body?: unknown): Promise<Reply> {
    const reply = await send(method, path, by.token, body);
    if (reply.status >= 200 && reply.status < 300) changes++;
    return reply;
  }

  /** Returns the id of any list; null if none is found. */
  function parentId(): string | null {
    const { path = '' } = owned[below(owned.length + 1)] ?? {};
    const [, , collection, id = null] = path.split('/');
    return collection === COLLECTIONS[1] ? id : null;
  }

  async function create(): Promise<void> {
    const [by, collection] = [pick(people), pick(COLLECTIONS)];
    const content = { n: ++n, ...(collection === COLLECTIONS[2] && { list: parentId() }) };
    const { status, body } = await change('POST', `/document/${collection}`, by, content);
    if (status === 200) owned.push({ path: `/document/${collection}/${body.data.id}`, by });
  }

  async function remove(): Promise<void> {
    const one = removeAt(owned, below(owned.length));
    if (one !== undefined) await change('DELETE', one.path, one.by);
  }

  async function replace(): Promise<void> {
    if (owned.length === 0) return;
    const { path, by } = pick(owned);
    await change('PUT', path, by, { n: ++n });
  }

  async function grant(): Promise<void> {
    if (owned.length === 0) return;
    const { path, by } = pick(owned);
    await change(chance(0.6) ? 'PUT' : 'DELETE', `${path}/read/${grantee()}`, by);
  }

  async function createCanary(): Promise<void> {
    const reader = chance(0.5) ? pick(people).name : null;
    const collection = COLLECTIONS[0];
    const allow = reader === null ? {} : { _allowRead: [{ name: reader, isrole: false }] };
    const { status, body } = await change('POST', `/document/${collection}`, hermit, {
      canary: reader ?? '',
      ...allow,
    });
    if (status !== 200) return;
    const { id } = body.data;
    canaries.set(id, { reader });
    living.push({ path: `/document/${collection}/${id}`, id });
  }

  async function onCanary(): Promise<void> {
    if (living.length < CANARIES) return createCanary();
    const at = below(living.length);
    const one = living[at];
    if (one === undefined) return;
    if (chance(0.3)) {
      removeAt(living, at);
      await change('DELETE', one.path, hermit);
    } else await change('PUT', `${one.path}/.n`, hermit, { data: ++n });
  }

  async function relate(): Promise<void> {
    // The hermit must not be followed, because followers would become readers.
    await send(chance(0.6) ? 'POST' : 'DELETE', `/follow/${pick(people).name}`, pick(people).token);
  }

  async function joinOrLeave(): Promise<void> {
    const at = below(groups.length);
    const path = `/group/${groups[at]}/member/${pick(people).name}`;
    const owner = people[at]?.token ?? '';
    await (chance(0.6) ? send('PUT', path, owner, { role: 'member' }) : send('DELETE', path, owner));
  }

  const giveRole = () =>
    send('PUT', `/admin/user/${pick(people).name}`, admin.token, { role: pick([...ROLES, 'registereduser']) });

  /** Sets the rules of the collection without canaries. */
  const setRules = () =>
    send('PUT', `/admin/collection/${COLLECTIONS[1]}/rules`, admin.token, {
      read: chance(0.5) ? [] : [pick([...ROLES, 'registereduser', 'anonymous'])],
    });

  const followersRead = () =>
    send('PUT', '/admin/configuration/Application/followers.read.documents', admin.token, { value: chance(0.7) });

  function step(): Promise<unknown> {
    const isFull = owned.length > DOCUMENTS;
    return weighted<() => Promise<unknown>>(random, [
      [isFull ? 800 : 2_000, create],
      [isFull ? 1_600 : 600, remove],
      [4_000, replace],
      [2_000, grant],
      [1_000, onCanary],
      [100, relate],
      [60, joinOrLeave],
      [10, giveRole],
      [2, setRules],
      [2, followersRead],
    ])();
  }

  return {
    people,
    admin,
    canaries: canaries as ReadonlyMap<string, Canary>,
    /** Returns the number of document changes so far. */
    changes: () => changes,
    /** Makes changes concurrently until this total is reached. */
    async run(until: number, atOnce: number): Promise<void> {
      const writer = async () => {
        while (changes < until) await step();
      };
      await Promise.all(Array.from({ length: atOnce }, writer));
    },
    /** Stores a final document; resolves when an administrator finds it in the feed. */
    async finish(): Promise<void> {
      const bell = await sure('POST', `/document/${COLLECTIONS[0]}`, admin.token, { bell: true });
      let since = '0';
      await until(async () => {
        const { status, body } = await send('GET', `/changes?since=${encodeURIComponent(since)}`, admin.token);
        if (status !== 200) return false;
        since = body.next;
        return body.data.some(({ id }: { readonly id: string }) => id === bell.id);
      });
    },
  };
}

export type Traffic = Awaited<ReturnType<typeof createTraffic>>;
