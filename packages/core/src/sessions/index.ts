export { type Authentication, type Credentials, createAuthentication } from './authentication.ts';
export { type CompletedLogins, createCompletedLogins } from './completed-logins.ts';
export { createFreshLogin, type FreshLogin, type Presence } from './fresh-login.ts';
export { createKnownClients, type KnownClients } from './known-clients.ts';
export type { LoggedIn, LoginOrigin, SignedIn } from './new-session.ts';
export { createSessions, type Login, type SessionUseCases, type ShownSession } from './sessions.ts';
