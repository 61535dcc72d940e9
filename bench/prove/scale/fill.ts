import { createNodeSecrets } from '@baobab/adapters/system';
import { createRandom, insertUsers, START } from '../../measure/crowd.ts';
import { fill } from '../../measure/insert.ts';

export interface Size {
  readonly documents: number;
  readonly users: number;
  readonly grants: number;
}

/** Users with specific data, by id. */
export interface People {
  /** Owner of 20 documents. */
  readonly owner: string;
  /** Owner of `heavyDocuments` documents. */
  readonly heavy: string;
  /** User with whom a thousand documents are shared. */
  readonly granted: string;
  /** User who follows 50 users. */
  readonly follower: string;
  /** Member of 20 groups, with which one document in a thousand is shared. */
  readonly member: string;
}

const OWNED = 20;
const GRANTED = 1_000;
const FOLLOWED = 50;
const GROUPS = 20;
const PER_GROUP_GRANT = 1_000;
const HEAVY = 100_000;
const AT_ONCE = 20_000;
const READ = 1;
/** One kilobyte together with the other members. */
const TEXT = 'Sphinx of black quartz, judge my vow. '.repeat(25);
/** Number of documents per value of the indexed field. */
export const PER_VALUE = 10;

/** Returns the number of documents of the heavy user, at most a tenth of all. */
export const heavyDocuments = ({ documents }: Size) => Math.min(HEAVY, Math.floor(documents / 10));

const GRANT_COLUMNS = ['collection', 'document', 'principal', 'rights'];
const DOCUMENT_COLUMNS = ['id', 'collection', 'author', 'version', 'created', 'updated', 'content'];

/**
 * Fills the only collection. Resolves to ids of documents throughout it, excluding those of the heavy user.
 *
 * @param url as `DATABASE_URL`
 */
export async function fillScale(
  url: string,
  size: Size,
  people: People,
  progress: (line: string) => void,
): Promise<string[]> {
  const { uuid } = createNodeSecrets('of no importance: only ids are made');
  const random = createRandom(7);
  const sample: string[] = [];
  let time = START;
  await fill(url, async (insert, collection) => {
    const users: string[] = [];
    while (users.length < size.users) {
      const rows = Array.from({ length: Math.min(AT_ONCE, size.users - users.length) }, (_, i) => {
        time += 1;
        return [uuid(time), `person${users.length + i}`, time] as const;
      });
      await insertUsers(insert, rows);
      for (const [id] of rows) users.push(id);
    }
    const anybody = () => users[random(users.length)] ?? people.owner;
    const groups = Array.from({ length: GROUPS }, () => uuid(time));
    await insert(
      'user_groups',
      ['id', 'name', 'created'],
      groups.map((id, i) => [id, `Group ${i}`, time]),
    );
    await insert(
      'group_members',
      ['user_id', 'group_id', 'role', 'joined', 'counted'],
      groups.map((id) => [people.member, id, 'owner', time, 1]),
    );
    const followed = new Set(Array.from({ length: FOLLOWED }, anybody));
    await insert(
      'follows',
      ['follower', 'followed'],
      Array.from(followed, (one) => [people.follower, one]),
    );

    const every = (count: number) => Math.max(1, Math.floor(size.documents / count));
    const [ofOwner, ofHeavy, toGranted] = [every(OWNED), every(heavyDocuments(size)), every(GRANTED)];
    const authorOf = (n: number) => (n % ofOwner === 0 ? people.owner : n % ofHeavy === 1 ? people.heavy : anybody());
    let due = 0;
    for (let at = 0; at < size.documents; at += AT_ONCE) {
      const rows = Array.from({ length: Math.min(AT_ONCE, size.documents - at) }, (_, i) => {
        time += 1;
        const n = at + i;
        const content = JSON.stringify({ title: `Title ${n}`, bin: Math.floor(n / PER_VALUE), text: TEXT });
        return [uuid(time), collection, authorOf(n), 1, time, time, content];
      });
      const grants = rows.flatMap(([id = ''], i) => {
        const principals: string[] = [];
        due += size.grants / size.documents;
        for (; due >= 1; due--) principals.push(`u:${anybody()}`);
        if ((at + i) % toGranted === 0) principals.push(`u:${people.granted}`);
        if ((at + i) % PER_GROUP_GRANT === 0) principals.push(`g:${groups[random(GROUPS)]}`);
        return Array.from(new Set(principals), (principal) => [collection, id, principal, READ]);
      });
      await insert('documents', DOCUMENT_COLUMNS, rows);
      await insert('document_grants', GRANT_COLUMNS, grants);
      const lasting = rows.filter(([, , author]) => author !== people.heavy);
      sample.push(String(lasting[random(lasting.length)]?.[0]));
      if ((at / AT_ONCE) % 50 === 0) progress(`${at + rows.length} documents`);
    }
  });
  return sample;
}
