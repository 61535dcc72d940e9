import type { Actor } from '../actor.ts';
import { createBatchedWrites } from '../batched-writes.ts';
import { isAppError } from '../errors.ts';
import type { AuditAct, AuditEvent, AuditParty, AuditSink } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Gauges } from '../ports/gauges.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { AuditSeal, NewAuditRecord } from '../ports/storage/audit.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { BURST_WINDOW_MS, createBursts } from './bursts.ts';
import { createLoginFailures, isLoginFailure, type LoginMethod } from './login-failures.ts';

/** Begins the id of an erased user in events. */
export const ERASED_PREFIX = 'erased-';

type Sealing = Pick<Secrets, 'fingerprint'>;
type Named = Pick<AuditEvent, 'act' | 'by' | 'to' | 'details'>;

/** Detail of a new name: the former one. */
const FORMER_NAME = 'before';

const hasFormerName = ({ act }: Pick<AuditEvent, 'act'>) => act === 'user.renamed' || act === 'password.changed';

/** Returns the details without the name of a user. */
export const impersonal = (event: Pick<AuditEvent, 'act' | 'details'>): AuditEvent['details'] =>
  hasFormerName(event)
    ? Object.fromEntries(Object.entries(event.details).filter(([name]) => name !== FORMER_NAME))
    : event.details;

function digestOf({ fingerprint }: Sealing, event: Named, party: AuditParty, salt: string): string {
  const former = party === event.to && hasFormerName(event) ? (event.details[FORMER_NAME] ?? null) : null;
  return fingerprint(JSON.stringify([salt, party.id, party.name, former]));
}

/** Seals the users of an event. */
function sealsOf(secrets: Pick<Secrets, 'fingerprint' | 'token'>, event: Named): NewAuditRecord['seals'] {
  function sealOf(party: AuditParty | null): AuditSeal | null {
    if (party?.kind !== 'user') return null;
    const salt = secrets.token();
    return { salt, digest: digestOf(secrets, event, party, salt) };
  }
  return { by: sealOf(event.by), to: sealOf(event.to) };
}

/** Returns true if the users of an event are those that were sealed, or are erased. */
export function areSealed(secrets: Sealing, event: Pick<NewAuditRecord, 'seals'> & Named): boolean {
  const isSealed = (party: AuditParty | null, seal: AuditSeal | null) => {
    if (party?.kind !== 'user') return seal === null;
    if (seal?.salt == null) return seal !== null && party.name === null && (party.id ?? '').startsWith(ERASED_PREFIX);
    return seal.digest === digestOf(secrets, event, party, seal.salt);
  };
  return isSealed(event.by, event.seals.by) && isSealed(event.to, event.seals.to);
}

/** Returns an event that names a user by an alias. The salts with which the user could be recognized are gone. */
export function withoutUser(event: NewAuditRecord, userId: string, alias: string): NewAuditRecord {
  const { by, to, seals } = event;
  const isUser = (party: AuditParty | null) => party?.id === userId;
  const erased: AuditParty = { kind: 'user', id: alias, name: null };
  const unsalted = (seal: AuditSeal | null) => seal && { ...seal, salt: null };
  return {
    ...event,
    by: isUser(by) ? erased : by,
    to: isUser(to) ? erased : to,
    details: isUser(to) ? impersonal(event) : event.details,
    seals: { by: isUser(by) ? unsalted(seals.by) : seals.by, to: isUser(to) ? unsalted(seals.to) : seals.to },
  };
}

/** Maximum number of events waiting for the sink. Further ones are dropped, so that a slow sink cannot fill memory. */
const MAX_PENDING = 1_000;
/** Minimum interval between log messages about a failing sink, in milliseconds. */
const COMPLAINT_INTERVAL_MS = 60_000;

/** The actor and their network. */
export type AuditedActor = Pick<Actor, 'user' | 'key' | 'network'>;

/** Details of an event. */
export interface AuditEntry {
  readonly to?: AuditParty | null;
  /** Network of the client; if absent, that of the actor. */
  readonly network?: string | null;
  readonly details?: AuditEvent['details'];
}

export interface FailedLogin {
  readonly method: LoginMethod;
  readonly network: string | null;
  /** The account under attack, if known. Never a name sent by the client. */
  readonly to: AuditParty | null;
}

/** Records an event. */
export type RecordAct = (source: AuditedActor, act: AuditAct, entry?: AuditEntry) => void;

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

/** Returns the user with this id as a party of an event that does not store the name. */
export const accountParty = (id: string): AuditParty => ({ kind: 'user', id, name: null });

function partyOf({ user, key }: AuditedActor): AuditParty {
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

  function eventOf(
    source: AuditedActor,
    act: AuditAct,
    { to = null, network, details = {} }: AuditEntry = {},
  ): AuditEvent {
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
    record(source: AuditedActor, act: AuditAct, entry?: AuditEntry): void {
      const event = eventOf(source, act, entry);
      void tellSink(event);
      recording.store(event);
    },

    /**
     * Records an act that anonymous clients can cause in any number. If there are many, only their number is stored.
     */
    recordBounded(source: AuditedActor, act: AuditAct, entry?: AuditEntry): void {
      storeBounded(eventOf(source, act, entry));
    },

    /** Counts and records a failed login, unless the server could not check it. */
    loginFailed(error: unknown, { method, network, to }: FailedLogin): void {
      if (!isAppError(error) || !isLoginFailure(error.code)) return;
      failures.count(error.code);
      const details = { method, reason: error.code };
      storeBounded({ at: clock.now(), act: 'login.failed', by: NOBODY_KNOWN, to, network, details });
    },

    /** Resolves when the recorded events are stored, except those that are only counted for now. */
    stored: recording.stored,
    /** Resolves when all recorded events are stored. */
    settled: recording.settled,
  };
}

/** Maximum number of events waiting to be stored. Further ones are lost, so that a slow database cannot fill memory. */
const MAX_WAITING = 1_000;
/** Number of events stored by one statement. */
const BATCH = 100;

interface AuditRecordingDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly timers: Timers;
}

/**
 * Stores events outside of transactions, after the request. @param lose called with the number of events that were not
 * stored
 */
function createAuditRecording(
  { storage, secrets, timers }: AuditRecordingDeps,
  lose: (error: unknown, events: number) => void,
) {
  const bursts = createBursts();
  let cancelWindow: (() => void) | null = null;

  const records = createBatchedWrites<NewAuditRecord>(async (batch) => {
    try {
      await storage.audit.add(batch);
    } catch (error) {
      lose(error, batch.length);
    }
  }, BATCH);

  const recordOf = (event: AuditEvent): NewAuditRecord => ({
    ...event,
    id: secrets.uuid(event.at),
    seals: sealsOf(secrets, event),
  });

  function store(event: AuditEvent): void {
    if (records.waiting >= MAX_WAITING) {
      lose(new Error(`${MAX_WAITING} events wait to be stored`), 1);
      return;
    }
    void records.add(recordOf(event));
  }

  function endWindow(): void {
    cancelWindow?.();
    cancelWindow = null;
    for (const event of bursts.end()) store(event);
  }

  return {
    recordOf,
    store,

    /** Stores events that anonymous clients can cause. If there are many, only their number is stored. */
    storeBounded(event: AuditEvent): void {
      cancelWindow ??= timers.after(BURST_WINDOW_MS, endWindow);
      if (bursts.admit(event)) store(event);
    },

    /** Resolves when everything is stored, or lost, except what is only counted until its window ends. */
    stored: records.settled,

    /** Resolves when everything is stored, or lost. */
    async settled(): Promise<void> {
      endWindow();
      await records.settled();
    },
  };
}
