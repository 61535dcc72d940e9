/**
 * First half of the advisory locks that mark listening connections: an arbitrary number. The second half is the
 * member id.
 */
export const MEMBER_LOCKS = 7_226_915;
