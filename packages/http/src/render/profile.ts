import type { UserRecord } from '@baobab/core';
import { wireDate } from './date.ts';

/** A user as JSON text without the closing brace, so that more can follow. */
function openProfile({ id, name, role, status, sections, created, generated }: UserRecord): string {
  const user = JSON.stringify({ name, status, roles: [{ name: role }] });
  return (
    `{"user":${user},"id":"${id}","visibleByTheUser":${sections.visibleByTheUser},` +
    `"visibleByFriend":${sections.visibleByFriend},"visibleByRegisteredUsers":${sections.visibleByRegisteredUsers},` +
    `"visibleByAnonymousUsers":${sections.visibleByAnonymousUsers},"signUpDate":"${wireDate(created)}",` +
    `"generated_username":${generated}`
  );
}

export function profileJson(profile: UserRecord): string {
  return `${openProfile(profile)}}`;
}

/** The profile of somebody who has just logged in, with the token of the session. */
export function signedInJson(profile: UserRecord, token: string): string {
  return `${openProfile(profile)},"X-BB-SESSION":"${token}"}`;
}
