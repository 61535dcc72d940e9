import type { Profile } from '@baobab/client';
import { ownOf } from './own.ts';

/** Sections of profiles, from private to public. */
export const SECTIONS = [
  'visibleByTheUser',
  'visibleByFriend',
  'visibleByRegisteredUsers',
  'visibleByAnonymousUsers',
] as const;

const SEPARATOR = '.';

/** Returns the members of profile sections as `section.member`, most frequent first. */
export function membersOf(profiles: readonly Profile[]): string[] {
  const counts = new Map<string, number>();
  for (const profile of profiles) {
    for (const section of SECTIONS) {
      for (const member of Object.keys(profile[section] ?? {})) {
        const name = `${section}${SEPARATOR}${member}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Returns the value of such a member. */
export function memberOf(profile: Profile, name: string): unknown {
  const section = SECTIONS.find((one) => name.startsWith(one + SEPARATOR));
  return section === undefined ? undefined : ownOf(profile[section] ?? {}, name.slice(section.length + 1));
}
