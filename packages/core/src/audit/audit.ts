import type { Actor } from '../actor.ts';
import { isAppError } from '../errors.ts';
import type { AuditAct, AuditEvent, AuditParty, AuditSink } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gauges } from '../ports/gauges.ts';
import type { Logger } from '../ports/logger.ts';
import { createLoginFailures, isLoginFailure, type LoginMethod } from './login-failures.ts';

/** Events that the sink has not kept yet. Further ones are dropped, so that a slow sink costs no memory. */
const MAX_PENDING = 1_000;
/** A sink that fails is logged at most this often. Milliseconds. */
const COMPLAINT_INTERVAL_MS = 60_000;

/** Who acts, and from where. */
type Source = Pick<Actor, 'user' | 'key' | 'network'>;

/** What happened. */
export interface AuditEntry {
  readonly to?: AuditParty | null;
  /** The network of the client; absent: that of the actor. */
  readonly network?: string | null;
  readonly details?: AuditEvent['details'];
}

/** A login that is about to be tried. */
export interface LoginAttempt {
  readonly method: LoginMethod;
  readonly network: string | null;
  /** Whose account it is, as far as the attempt has found out; never a name that the client has sent. */
  readonly target?: () => AuditParty | null;
}

export interface AuditDeps {
  readonly auditSink: AuditSink;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gauges: Gauges;
}

const OPERATOR_ID = 'operator';
const NOBODY_KNOWN: AuditParty = { kind: 'anonymous', id: null, name: null };

/** A user as a party of an event. */
export const userParty = ({ id, name }: { readonly id: string; readonly name: string }): AuditParty => ({
  kind: 'user',
  id,
  name,
});

function partyOf({ user, key }: Source): AuditParty {
  if (key !== null) return { kind: 'key', id: key.id, name: null };
  if (user === null) return NOBODY_KNOWN;
  return user.id === OPERATOR_ID ? { kind: 'operator', id: null, name: null } : userParty(user);
}

export type Audit = ReturnType<typeof createAudit>;

/** Tells the sink what happened. Nothing waits for the sink, and nothing fails with it. */
export function createAudit({ auditSink, clock, logger, gauges }: AuditDeps) {
  const failures = createLoginFailures(gauges);
  let pending = 0;
  let lost = 0;
  let complained = Number.NEGATIVE_INFINITY;
  gauges.add({ name: 'audit_events_lost_total', help: 'Audit events that the sink did not keep', read: () => lost });

  function lose(err: unknown): void {
    lost++;
    const now = clock.now();
    if (now - complained < COMPLAINT_INTERVAL_MS) return;
    complained = now;
    logger.error({ err, lost }, 'audit event lost');
  }

  function write(event: AuditEvent): void {
    if (pending >= MAX_PENDING) {
      lose(new Error(`${MAX_PENDING} events wait for the sink`));
      return;
    }
    pending++;
    const settled = () => {
      pending--;
    };
    try {
      auditSink.write(event).catch(lose).finally(settled);
    } catch (error) {
      settled();
      lose(error);
    }
  }

  function record(source: Source, act: AuditAct, { to = null, network, details = {} }: AuditEntry = {}): void {
    const from = network ?? source.network ?? null;
    write({ at: clock.now(), act, by: partyOf(source), to, network: from, details });
  }

  return {
    /** To be called when the act has taken effect: behind its transaction. */
    record,

    /** Tries to log somebody in. When this fails, the failure is counted and recorded. @throws the errors of `attempt` */
    async login<T>({ method, network, target = () => null }: LoginAttempt, attempt: () => Promise<T>): Promise<T> {
      try {
        return await attempt();
      } catch (error) {
        if (!isAppError(error) || !isLoginFailure(error.code)) throw error;
        failures.count(error.code);
        const details = { method, reason: error.code };
        write({ at: clock.now(), act: 'login.failed', by: NOBODY_KNOWN, to: target(), network, details });
        throw error;
      }
    },
  };
}
