/** The four sections of a profile by visibility, in the order of the API. */
export const SECTIONS = [
  'visibleByTheUser',
  'visibleByFriend',
  'visibleByRegisteredUsers',
  'visibleByAnonymousUsers',
] as const;
export type SectionName = (typeof SECTIONS)[number];
