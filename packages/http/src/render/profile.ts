import { type Profile, type ShownPasskey, type ShownSession, wireDate, wireDateOrNull } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../responses/envelope.ts';

export interface ProfileStyle {
  /** True to send `visibleByFriends` as well: some clients know only the plural name. */
  readonly plural?: boolean;
}

export const styleOf = ({ usesAlias }: FastifyRequest): ProfileStyle => ({ plural: usesAlias });

/**
 * Returns a user as JSON text without the closing brace, so that more members can follow. Sections are included as
 * stored.
 */
function openProfile(profile: Profile, { plural = false }: ProfileStyle): string {
  const { id, name, role, status, sections, created, generated, emailVerified, guest } = profile;
  const user = JSON.stringify({ name, status, roles: [{ name: role }] });
  const friends = plural ? `"visibleByFriends":${sections.visibleByFriend},` : '';
  // Callers who may not see the address do not need to know if it is verified.
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

/** Sends a profile in the style of the client. */
export const sendProfile = (reply: FastifyReply, profile: Profile, status = 200): FastifyReply =>
  sendJson(reply, profileJson(profile, styleOf(reply.request)), status);

export function profilesJson(profiles: readonly Profile[], style: ProfileStyle = {}): string {
  return `[${profiles.map((profile) => profileJson(profile, style)).join(',')}]`;
}

/** Profile with the result of a login. */
interface SignedInProfile {
  readonly profile: Profile;
  /** Null without a session. */
  readonly token: string | null;
  /** Absent without a login. */
  readonly client?: string;
}

/** Returns the profile of a signed-in user as JSON text, with the session token, if any. */
export function signedInJson({ profile, token, client }: SignedInProfile, style: ProfileStyle = {}): string {
  const known = client === undefined ? '' : `,"client":"${client}"`;
  const session = token === null ? '' : `,"X-BB-SESSION":"${token}"`;
  return `${openProfile(profile, style)}${session}${known}}`;
}

/** Returns a session as its user sees it. */
export const shownSession = (session: ShownSession) => ({
  id: session.id,
  device: session.deviceId === null ? null : { id: session.deviceId, os: session.os },
  created: wireDate(session.created),
  lastUse: wireDate(session.lastUsed),
  network: session.network,
  client: session.agent,
  factor: session.factor,
  current: session.isCurrent,
});

export const shownPasskey = ({ id, name, credential, transports, created, lastUsed }: ShownPasskey) => ({
  id,
  name,
  credential,
  transports,
  created: wireDate(created),
  lastUse: wireDateOrNull(lastUsed),
});
