import {
  type Condition,
  conjuncts,
  type Operand,
  type OrderKey,
  type Path,
  type ProfileScope,
  type SectionName,
  sectionOf,
  userSortColumn,
} from '@baobab/core';
import type { Context, Meaning, Resolve } from './conditions.ts';
import { FALSE, NOTHING } from './dialect.ts';
import type { SortColumn } from './document-fields.ts';

const COLUMNS: Readonly<Record<SectionName, string>> = {
  visibleByTheUser: 'visible_user',
  visibleByFriend: 'visible_friend',
  visibleByRegisteredUsers: 'visible_registered',
  visibleByAnonymousUsers: 'visible_anonymous',
};

/** Users whose section a viewer may read: all, those they follow and themselves, only themselves, or none. */
type Visibility = 'all' | 'followed' | 'own' | 'none';

function visibilityOf(section: SectionName, { viewer, everything, asFriend }: ProfileScope): Visibility {
  if (everything || section === 'visibleByAnonymousUsers') return 'all';
  if (asFriend && section === 'visibleByFriend') return 'all';
  if (viewer === null) return 'none';
  if (section === 'visibleByRegisteredUsers') return 'all';
  return section === 'visibleByTheUser' ? 'own' : 'followed';
}

/**
 * Returns the condition for rows of `users u` with a visible section, or null for all. @param viewer mark of the
 * viewer
 */
function isShown(visibility: Visibility, viewer: string): string | null {
  if (visibility === 'all') return null;
  if (visibility === 'none') return FALSE;
  const isOwn = `u.id = ${viewer}`;
  if (visibility === 'own') return isOwn;
  return `(${isOwn} or exists (select 1 from follows seen where seen.follower = ${viewer} and seen.followed = u.id))`;
}

function pathsOf(operand: Operand): readonly Path[] {
  switch (operand.kind) {
    case 'constant':
      return [];
    case 'path':
      return [operand.path];
    case 'call':
      return pathsOf(operand.of);
    case 'distance':
      return operand.of.flatMap(pathsOf);
  }
}

/** Returns the paths that must have a value for the filter to match. */
function neededBy(condition: Condition): readonly Path[] {
  switch (condition.kind) {
    case 'and':
      return conjuncts(condition).flatMap(neededBy);
    case 'or':
    case 'not':
    case 'null':
    case 'fullText':
      return [];
    case 'compare':
      return [condition.left, condition.right].flatMap(pathsOf);
    default:
      return pathsOf(condition.operand);
  }
}

/**
 * Returns a statement with the ids of users who can match, if the filter needs values of sections that the viewer may
 * not read for all users. Otherwise null.
 *
 * @param viewer mark of the viewer
 */
export function visibleUsers(where: Condition, profileScope: ProfileScope, viewer: string): string | null {
  const visible = neededBy(where).flatMap(([first]) => {
    const section = sectionOf(first);
    return section === null ? [] : [visibilityOf(section, profileScope)];
  });
  const own = `select me.id from users me where me.id = ${viewer}`;
  if (visible.includes('none')) return 'select me.id from users me where 1 = 0';
  if (visible.includes('own')) return own;
  if (!visible.includes('followed')) return null;
  return `${own} union all select seen.followed as id from follows seen where seen.follower = ${viewer}`;
}

/** Returns true if the viewer may read the value at a path for all users. */
export function isWhole([first]: Path, profileScope: ProfileScope): boolean {
  const section = sectionOf(first);
  return section === null || visibilityOf(section, profileScope) === 'all';
}

const text = (txt: string): Meaning => ({ kind: 'form', form: { ...NOTHING, rank: '3', txt } });

/**
 * Returns the meaning of fields in a row of `users u` as seen by a viewer: null if they may not read it.
 *
 * @param prefix prefix of column names; empty in the definition of an index
 */
export function userMeaning(
  dialect: Context['dialect'],
  profileScope: ProfileScope,
  viewer: string,
  prefix = 'u.',
): Resolve {
  const { object, array } = dialect.make;
  const roles = `${array}(${object}('name', u.role))`;
  // As in `seenBy`. The callers themselves are active.
  const status = profileScope.everything
    ? `${prefix}status`
    : "case u.status when 'ERASING' then 'SUSPENDED' else u.status end";
  const user = `${object}('name', u.name, 'status', ${status}, 'roles', ${roles})`;

  function section(name: SectionName): string {
    const shown = isShown(visibilityOf(name, profileScope), viewer);
    const column = prefix + COLUMNS[name];
    return dialect.json(shown === null ? column : `case when ${shown} then ${column} end`);
  }

  function ofUser(steps: Path[1][]): Meaning {
    const [only] = steps;
    if (steps.length === 1 && only === 'name') return text(`${prefix}name`);
    if (steps.length === 1 && only === 'status') return text(status);
    return { kind: 'json', place: { base: user, steps } };
  }

  return ([first, ...steps]: Path) => {
    if (first === 'user') return ofUser(steps);
    const name = sectionOf(first);
    if (name !== null) return { kind: 'json', place: { base: section(name), steps } };
    if (steps.length === 0 && first === 'id') return text(dialect.textOf('u.id'));
    if (steps.length === 0 && first === 'signUpDate') return { kind: 'time', column: 'u.created' };
    return { kind: 'form', form: NOTHING };
  };
}

/** Returns the sort column of a field if it is not the value. */
export function userColumn(key: OrderKey): SortColumn | null {
  const column = userSortColumn(key);
  if (column === null) return null;
  return column === 'id' ? { sql: 'u.id', kind: 'id' } : { sql: 'u.name_key', kind: 'text' };
}
