import type { Profile } from '@baobab/client';

/** The sections of profiles, in the order from private to public. */
export const SECTIONS = [
  'visibleByTheUser',
  'visibleByFriend',
  'visibleByRegisteredUsers',
  'visibleByAnonymousUsers',
] as const;

const SEPARATOR = '.';

/** The members of the sections of some profiles, as `section.member`, the most frequent ones first. */
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

/** What a profile has under such a name. */
export function memberOf(profile: Profile, name: string): unknown {
  const section = SECTIONS.find((one) => name.startsWith(one + SEPARATOR));
  return section === undefined ? undefined : profile[section]?.[name.slice(section.length + 1)];
}
