import type {
  Authentication,
  Clock,
  Collections,
  Documents,
  DocumentsPolicy,
  Logger,
  Passwords,
  Secrets,
  SessionPolicy,
  SessionUseCases,
  Storage,
  Users,
} from '@baobab/core';
import type { ServiceIdentifier } from 'inversify';

/** Carries its type: asking for one thing where another is due does not compile. */
const token = <T>(name: string) => Symbol(name) as ServiceIdentifier<T> & symbol;

export const TOKENS = {
  storage: token<Storage>('storage'),
  passwords: token<Passwords>('passwords'),
  secrets: token<Secrets>('secrets'),
  clock: token<Clock>('clock'),
  logger: token<Logger>('logger'),
  policy: token<SessionPolicy & DocumentsPolicy>('policy'),
  authentication: token<Authentication>('authentication'),
  users: token<Users>('users'),
  sessions: token<SessionUseCases>('sessions'),
  collections: token<Collections>('collections'),
  documents: token<Documents>('documents'),
} as const;
