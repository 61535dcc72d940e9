import { createNodeSecrets } from '@baobab/adapters/system';
import { createRandom, insertUsers, START } from './crowd.ts';
import { fill } from './insert.ts';

/** Numbers of documents and owners. */
export interface ShelfSize {
  readonly documents: number;
  readonly owners: number;
}

/** Number of categories; each has an equal share of the documents. */
export const CATEGORIES = 50;
const OWNED = 20;
/** Number of boards to which the documents belong. */
const BOARDS = 1_000;
/** Number of groups of one user. One document in `GRANTED` is shared with them. */
export const GROUPS = 100;
export const GRANTED = 10;
const TEXT = 'Sphinx of black quartz, judge my vow. '.repeat(20);
const AT_ONCE = 50_000;

const READ = 1;
const GROUP_COLUMNS = ['id', 'name', 'created'];
const MEMBER_COLUMNS = ['user_id', 'group_id', 'role', 'joined', 'counted'];
const GRANT_COLUMNS = ['collection', 'document', 'principal', 'rights'];
const DOCUMENT_COLUMNS = ['id', 'collection', 'author', 'version', 'created', 'updated', 'content'];

/**
 * Fills a database with documents of many owners. `owner` (a user id) has 20 of them, evenly spaced. `member`, if
 * given, is in groups with which documents throughout the collection are shared. Resolves to the ids in the field
 * `board`, of documents that do not exist.
 *
 * @param url as `DATABASE_URL`
 */
export function fillShelf(
  url: string,
  { documents, owners }: ShelfSize,
  owner: string,
  member: string | null = null,
): Promise<readonly string[]> {
  const { uuid } = createNodeSecrets('of no importance: only ids are made');
  const random = createRandom(7);
  let time = START;
  const boards = Array.from({ length: BOARDS }, () => uuid(START));
  return fill(url, async (insert, collection) => {
    const users = Array.from({ length: owners }, (_, i) => {
      time += 10;
      return [uuid(time), `person${i}`, time] as const;
    });
    await insertUsers(insert, users);
    const groups = Array.from({ length: member === null ? 0 : GROUPS }, () => uuid(time));
    const names = groups.map((id, i) => [id, `Group ${i}`, time]);
    await insert('user_groups', GROUP_COLUMNS, names);
    const memberships = groups.map((id) => [member ?? '', id, 'owner', time, 1]);
    await insert('group_members', MEMBER_COLUMNS, memberships);
    for (let at = 0; at < documents; at += AT_ONCE) {
      const rows = Array.from({ length: Math.min(AT_ONCE, documents - at) }, (_, i) => {
        time += 10;
        const n = at + i;
        const author = n % (documents / OWNED) === 0 ? owner : String(users[random(users.length)]?.[0]);
        const [category, board] = [`c${random(CATEGORIES)}`, boards[random(BOARDS)]];
        const content = JSON.stringify({ title: `Title ${n}`, n, category, board, text: TEXT });
        return [uuid(time), collection, author, 1, time, time, content];
      });
      await insert('documents', DOCUMENT_COLUMNS, rows);
      const granted = rows.filter((_row, i) => member !== null && (at + i) % GRANTED === 0);
      const grants = granted.map(([id = '']) => [collection, id, `g:${groups[random(GROUPS)]}`, READ]);
      await insert('document_grants', GRANT_COLUMNS, grants);
    }
  }).then(() => boards);
}
