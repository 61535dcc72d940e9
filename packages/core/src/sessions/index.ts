export { type Authentication, type Credentials, createAuthentication } from './authentication.ts';
export { createFreshLogin, type FreshLogin, type Presence } from './fresh-login.ts';
export type { LoggedIn, LoginOrigin, SignedIn } from './logins.ts';
export { type CompletedLogins, createCompletedLogins, createKnownClients, type KnownClients } from './logins.ts';
export { createSessions, type Login, type SessionUseCases, type ShownSession } from './sessions.ts';
