import type { Actor } from '../actor.ts';
import { isAppError } from '../errors.ts';
import type { AuditAct, AuditEvent, AuditParty, AuditSink } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gauges } from '../ports/gauges.ts';
import type { Logger } from '../ports/logger.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { createLoginFailures, isLoginFailure, type LoginMethod } from './login-failures.ts';
import { type AuditRecordingDeps, createAuditRecording } from './recording.ts';

/** Maximum number of events waiting for the sink. Further ones are dropped, so that a slow sink cannot fill memory. */
const MAX_PENDING = 1_000;
/** Minimum interval between log messages about a failing sink, in milliseconds. */
const COMPLAINT_INTERVAL_MS = 60_000;

/** The actor and their network. */
type Source = Pick<Actor, 'user' | 'key' | 'network'>;

/** Details of an event. */
export interface AuditEntry {
  readonly to?: AuditParty | null;
  /** Network of the client; if absent, that of the actor. */
  readonly network?: string | null;
  readonly details?: AuditEvent['details'];
}

/** A login about to be attempted. */
export interface LoginAttempt {
  readonly method: LoginMethod;
  readonly network: string | null;
  /** Returns the account under attack, as far as the attempt has identified it. Never a name sent by the client. */
  readonly target?: () => AuditParty | null;
}

/** Records an event. */
export type RecordAct = (source: Source, act: AuditAct, entry?: AuditEntry) => void;

/** Runs work whose stores commit together. */
type Transacting = <T>(work: (stores: Stores) => Promise<T>) => Promise<T>;

export interface AuditDeps extends AuditRecordingDeps {
  readonly auditSink: AuditSink;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gauges: Gauges;
}

const OPERATOR_ID = 'operator';
const NOBODY_KNOWN: AuditParty = { kind: 'anonymous', id: null, name: null };

/** Returns a user as a party of an event. */
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

/** Stores events, and sends them to the sink. Requests neither wait for the sink nor fail with it. */
export function createAudit({ auditSink, clock, logger, gauges, storage, secrets, timers }: AuditDeps) {
  const failures = createLoginFailures(gauges);
  let pending = 0;
  let lost = 0;
  let complained = Number.NEGATIVE_INFINITY;
  gauges.add({ name: 'audit_events_lost_total', help: 'Audit events that were not kept', read: () => lost });

  function lose(err: unknown, events = 1): void {
    lost += events;
    const now = clock.now();
    if (now - complained < COMPLAINT_INTERVAL_MS) return;
    complained = now;
    logger.error({ err, lost }, 'audit event lost');
  }
  const recording = createAuditRecording({ storage, secrets, timers }, lose);

  async function tellSink(event: AuditEvent): Promise<void> {
    if (pending >= MAX_PENDING) {
      lose(new Error(`${MAX_PENDING} events wait for the sink`));
      return;
    }
    pending++;
    try {
      await auditSink.write(event);
    } catch (error) {
      lose(error);
    } finally {
      pending--;
    }
  }

  function eventOf(source: Source, act: AuditAct, { to = null, network, details = {} }: AuditEntry = {}): AuditEvent {
    return { at: clock.now(), act, by: partyOf(source), to, network: network ?? source.network ?? null, details };
  }

  function storeBounded(event: AuditEvent): void {
    void tellSink(event);
    recording.storeBounded(event);
  }

  return {
    /**
     * Runs `work` in a transaction that also stores the events passed to `record`. They are sent to the sink after the
     * commit.
     *
     * @throws the errors of `work` and of `transact`
     */
    async transaction<T>(transact: Transacting, work: (stores: Stores, record: RecordAct) => Promise<T>): Promise<T> {
      let events: AuditEvent[] = [];
      const result = await transact(async (stores) => {
        // The database may call this again from the start.
        const noted: AuditEvent[] = [];
        const done = await work(stores, (source, act, entry) => noted.push(eventOf(source, act, entry)));
        if (noted.length > 0) await stores.audit.add(noted.map(recording.recordOf));
        events = noted;
        return done;
      });
      for (const event of events) void tellSink(event);
      return result;
    },

    /** Records an act outside of a transaction, or whose request must not wait. It is stored afterwards. */
    record(source: Source, act: AuditAct, entry?: AuditEntry): void {
      const event = eventOf(source, act, entry);
      void tellSink(event);
      recording.store(event);
    },

    /**
     * Records an act that anonymous clients can cause in any number. If there are many, only their number is stored.
     */
    recordBounded(source: Source, act: AuditAct, entry?: AuditEntry): void {
      storeBounded(eventOf(source, act, entry));
    },

    /** Attempts a login. Counts and records a failure. @throws the errors of `attempt` */
    async login<T>({ method, network, target = () => null }: LoginAttempt, attempt: () => Promise<T>): Promise<T> {
      try {
        return await attempt();
      } catch (error) {
        if (!isAppError(error) || !isLoginFailure(error.code)) throw error;
        failures.count(error.code);
        const details = { method, reason: error.code };
        storeBounded({ at: clock.now(), act: 'login.failed', by: NOBODY_KNOWN, to: target(), network, details });
        throw error;
      }
    },

    /** Resolves when the recorded events are stored, except those that are only counted for now. */
    stored: recording.stored,
    /** Resolves when all recorded events are stored. */
    settled: recording.settled,
  };
}
