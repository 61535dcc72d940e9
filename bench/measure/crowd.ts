import { createNodeSecrets } from '@baobab/adapters/system';
import { fill, type Insert } from './insert.ts';

/** Size of the crowd. */
export interface CrowdSize {
  readonly users: number;
  readonly edges: number;
  readonly documents: number;
}

/** A named user of the load, with the users they follow and their followers. */
export interface BenchUser {
  readonly id: string;
  readonly follows: number;
  readonly followers: number;
}

export const START = 1_700_000_000_000;
const SECTIONS = ['{"email":"a@example.com"}', '{"town":"Rome"}', '{"nick":"a"}', '{}'];
const CONTENT = JSON.stringify({ title: 'A post', text: 'Sphinx of black quartz, judge my vow. '.repeat(20) });

const USER_COLUMNS = [
  'id',
  'name',
  'name_key',
  'skeleton',
  'role',
  'status',
  'generated',
  'created',
  'visible_user',
  'visible_friend',
  'visible_registered',
  'visible_anonymous',
];

/** Inserts users. @param users id, name and time of each */
export const insertUsers = (insert: Insert, users: readonly (readonly [id: string, name: string, time: number])[]) =>
  insert(
    'users',
    USER_COLUMNS,
    users.map(([id, name, time]) => {
      return [id, name, name, `a:${name}`, 'registereduser', 'ACTIVE', 0, time, ...SECTIONS];
    }),
  );

/** Creates a seeded random generator, so that all runs and databases have the same crowd. */
export function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function crowd(insert: Insert, size: CrowdSize, collection: string, people: readonly BenchUser[]): Promise<void> {
  const { uuid } = createNodeSecrets('of no importance: only ids are made');
  const random = createRandom(42);
  let time = START;
  const users = Array.from({ length: size.users }, (_, i) => {
    time += 10;
    return [uuid(time), `person${i}`, time] as const;
  });
  await insertUsers(insert, users);
  const ids = users.map(([id]) => id);
  const anybody = () => ids[random(ids.length)] as string;
  const edges = new Map<string, [string, string]>();
  const follow = (follower: string, followed: string) => edges.set(`${follower} ${followed}`, [follower, followed]);
  for (const { id, follows, followers } of people) {
    for (let i = 0; i < follows; i++) follow(id, anybody());
    for (let i = 0; i < followers; i++) follow(anybody(), id);
  }
  while (edges.size < size.edges) follow(anybody(), anybody());
  await insert('follows', ['follower', 'followed'], [...edges.values()]);
  const documents = Array.from({ length: size.documents }, (_, i) => {
    time += 10;
    // The users of the load own some documents, so that their pages are full regardless of follows.
    const author = i % 200 < people.length ? (people[i % 200]?.id ?? anybody()) : anybody();
    return [uuid(time), collection, author, 1, time, time, CONTENT];
  });
  await insert('documents', ['id', 'collection', 'author', 'version', 'created', 'updated', 'content'], documents);
}

/** @param url as `DATABASE_URL` */
export const fillWithCrowd = (url: string, size: CrowdSize, people: readonly BenchUser[]): Promise<void> =>
  fill(url, (insert, collection) => crowd(insert, size, collection, people));
