import { type Path, type ProfileScope, type SectionName, sectionOf, userSortColumn } from '@baobab/core';
import { NOTHING } from './dialect.ts';
import type { Context, Meaning, Resolve } from './operands.ts';
import { FALSE } from './scalars.ts';

const COLUMNS: Readonly<Record<SectionName, string>> = {
  visibleByTheUser: 'u.visible_user',
  visibleByFriend: 'u.visible_friend',
  visibleByRegisteredUsers: 'u.visible_registered',
  visibleByAnonymousUsers: 'u.visible_anonymous',
};

/** The condition for rows of `users u` whose section is visible; null for all. @param viewer the mark of the viewer */
function isShown(
  section: SectionName,
  { viewer: id, everything, asFriend }: ProfileScope,
  viewer: string,
): string | null {
  if (everything || section === 'visibleByAnonymousUsers') return null;
  if (id === null) return asFriend && section === 'visibleByFriend' ? null : FALSE;
  if (section === 'visibleByRegisteredUsers' || (section === 'visibleByFriend' && asFriend)) return null;
  const isOwn = `u.id = ${viewer}`;
  if (section === 'visibleByTheUser') return isOwn;
  return `(${isOwn} or exists (select 1 from follows seen where seen.follower = ${viewer} and seen.followed = u.id))`;
}

const text = (txt: string): Meaning => ({ kind: 'form', form: { ...NOTHING, rank: '3', txt } });

/** The meaning of a field in a row of `users u` as a viewer sees it: null where they may not read it. */
export function userMeaning(dialect: Context['dialect'], profileScope: ProfileScope, viewer: string): Resolve {
  const { object, array } = dialect.make;
  const roles = `${array}(${object}('name', u.role))`;
  const user = `${object}('name', u.name, 'status', u.status, 'roles', ${roles})`;

  function section(name: SectionName): string {
    const shown = isShown(name, profileScope, viewer);
    return dialect.json(shown === null ? COLUMNS[name] : `case when ${shown} then ${COLUMNS[name]} end`);
  }

  function ofUser(steps: Path[1][]): Meaning {
    const [only] = steps;
    if (steps.length === 1 && (only === 'name' || only === 'status')) return text(`u.${only}`);
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

/** The column that a field is sorted by if that is not its value. */
export function userColumn(path: Path): string | null {
  const column = userSortColumn(path);
  return column === null ? null : column === 'id' ? 'u.id' : 'u.name_key';
}
