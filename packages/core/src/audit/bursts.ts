import type { AuditAct, AuditEvent } from '../ports/audit.ts';

/** Length of a window, in milliseconds. */
export const BURST_WINDOW_MS = 60_000;
/** Number of events of an act that are stored individually per window. */
const SINGLE = 10;
/** Number of groups in which further events of the act are counted, besides one for all others. */
const GROUPS = 10;

const OTHERS = 'others';

/** Counts of one act in a window. */
interface ActCounts {
  stored: number;
  readonly groups: Map<string, { readonly event: AuditEvent; readonly times: number }>;
}

/** Returns the id of a locked account. Each gets a separate event. */
const accountOf = ({ act, to }: AuditEvent) => (act === 'account.locked' ? to?.id : null);

/** Returns the common target of a group's events; null if they differ. */
const sameTarget = (before: AuditEvent, now: AuditEvent) => (before.to?.id === now.to?.id ? before.to : null);

/**
 * Bounds the number of stored events that anonymous clients can cause, so that guessed passwords cannot fill the disk.
 * In each window the first events of an act are stored individually. The others are counted by network and details, and
 * stored at the end of the window as one event per group, with the number of `times`.
 */
export function createBursts() {
  let acts = new Map<AuditAct, ActCounts>();

  function countsOf(act: AuditAct): ActCounts {
    const counts = acts.get(act) ?? { stored: 0, groups: new Map() };
    acts.set(act, counts);
    return counts;
  }

  function count({ groups }: ActCounts, event: AuditEvent): void {
    const { network, details } = event;
    const own = JSON.stringify([network, details, accountOf(event)]);
    const hasGroup = groups.has(own) || groups.size < GROUPS;
    const key = hasGroup ? own : OTHERS;
    const counted = hasGroup ? event : { ...event, network: null, to: null, details: {} };
    const before = groups.get(key);
    const to = before === undefined ? counted.to : sameTarget(before.event, counted);
    groups.set(key, { event: { ...counted, to }, times: (before?.times ?? 0) + 1 });
  }

  return {
    /** Returns true if the event is to be stored. Otherwise it is counted. */
    admit(event: AuditEvent): boolean {
      const counts = countsOf(event.act);
      if (counts.stored >= SINGLE) {
        count(counts, event);
        return false;
      }
      counts.stored++;
      return true;
    },

    /** Begins another window. Returns the counted events of the ended one. */
    end(): AuditEvent[] {
      const counted = Array.from(acts.values()).flatMap(({ groups }) =>
        Array.from(groups.values(), ({ event, times }) => ({ ...event, details: { ...event.details, times } })),
      );
      acts = new Map();
      return counted;
    },
  };
}
