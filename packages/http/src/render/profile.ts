import { type Profile, wireDate } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../envelope.ts';

export interface ProfileStyle {
  /** Whether to send `visibleByFriends` as well: some clients know only the plural name. */
  readonly plural?: boolean;
}

export const styleOf = ({ usesAlias }: FastifyRequest): ProfileStyle => ({ plural: usesAlias });

/** A user as JSON text without the closing brace, so that more members can follow. Sections are included as stored. */
function openProfile(profile: Profile, { plural = false }: ProfileStyle): string {
  const { id, name, role, status, sections, created, generated, emailVerified, guest } = profile;
  const user = JSON.stringify({ name, status, roles: [{ name: role }] });
  const friends = plural ? `"visibleByFriends":${sections.visibleByFriend},` : '';
  // Whoever may not see the address need not know whether it is verified.
  const isOwners = sections.visibleByTheUser !== null;
  const verified = isOwners ? `,"email_verified":${emailVerified}` : '';
  const ofGuest = isOwners && guest ? ',"guest":true' : '';
  return (
    `{"user":${user},"id":"${id}","visibleByTheUser":${sections.visibleByTheUser},` +
    `"visibleByFriend":${sections.visibleByFriend},${friends}` +
    `"visibleByRegisteredUsers":${sections.visibleByRegisteredUsers},` +
    `"visibleByAnonymousUsers":${sections.visibleByAnonymousUsers},"signUpDate":"${wireDate(created)}",` +
    `"generated_username":${generated}${verified}${ofGuest}`
  );
}

export function profileJson(profile: Profile, style: ProfileStyle = {}): string {
  return `${openProfile(profile, style)}}`;
}

/** Sends a profile as the client knows profiles. */
export const sendProfile = (reply: FastifyReply, profile: Profile, status = 200): FastifyReply =>
  sendJson(reply, profileJson(profile, styleOf(reply.request)), status);

export function profilesJson(profiles: readonly Profile[], style: ProfileStyle = {}): string {
  return `[${profiles.map((profile) => profileJson(profile, style)).join(',')}]`;
}

/** A profile with what a login gave. */
interface SignedInProfile {
  readonly profile: Profile;
  /** Null where no session has begun. */
  readonly token: string | null;
  /** Absent where nobody logged in. */
  readonly client?: string;
}

/** The profile of a signed-in user as JSON text, with the session's token if there is a session. */
export function signedInJson({ profile, token, client }: SignedInProfile, style: ProfileStyle = {}): string {
  const known = client === undefined ? '' : `,"client":"${client}"`;
  const session = token === null ? '' : `,"X-BB-SESSION":"${token}"`;
  return `${openProfile(profile, style)}${session}${known}}`;
}
