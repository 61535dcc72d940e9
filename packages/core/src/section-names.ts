/** The four sections of a profile by who may read them, in the order of the interface. */
export const SECTIONS = [
  'visibleByTheUser',
  'visibleByFriend',
  'visibleByRegisteredUsers',
  'visibleByAnonymousUsers',
] as const;
export type SectionName = (typeof SECTIONS)[number];
