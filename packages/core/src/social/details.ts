import { emailAddress } from '../names/email-address.ts';
import type { OAuthPerson } from '../ports/oauth.ts';
import type { Sections } from '../ports/storage/users.ts';
import { withSocial } from '../users/sections.ts';

/** A network's information about a person, under its names in the API. */
export interface SocialDetails {
  readonly email: string | null;
  readonly name: string | null;
  readonly avatarUrl: string | null;
  readonly personal_url: string | null;
}

export const NO_DETAILS: SocialDetails = { email: null, name: null, avatarUrl: null, personal_url: null };

export const detailsOf = ({ email, name, avatarUrl, pageUrl }: OAuthPerson): SocialDetails => ({
  // An address that would be rejected from the user counts as absent.
  email: email === null ? null : emailAddress(email),
  name,
  avatarUrl,
  personal_url: pageUrl,
});

/** Returns the initial profile of a user who signs up through a network. Unknown values are left out. */
export function sectionsOf(network: string, person: OAuthPerson): Partial<Sections> {
  const known = Object.entries(detailsOf(person)).filter(([, value]) => value !== null);
  return {
    visibleByTheUser: JSON.stringify(Object.fromEntries(known)),
    visibleByRegisteredUsers: withSocial('{}', { [network]: { id: person.id } }),
  };
}
