import type { AuditAct, AuditEvent } from '../ports/audit.ts';

/** The length of a window. Milliseconds. */
export const BURST_WINDOW_MS = 60_000;
/** Events of an act that are stored one by one in a window. */
const SINGLE = 10;
/** Further events of the act are counted in this many groups, and in one for everything else. */
const GROUPS = 10;

const OTHERS = 'others';

/** What a window has seen of one act. */
interface ActCounts {
  stored: number;
  readonly groups: Map<string, { readonly event: AuditEvent; readonly times: number }>;
}

/** Each account that is locked is worth an event of its own. */
const accountOf = ({ act, to }: AuditEvent) => (act === 'account.locked' ? to?.id : null);

/** Whom the events of a group concern, as long as it is the same. */
const sameTarget = (before: AuditEvent, now: AuditEvent) => (before.to?.id === now.to?.id ? before.to : null);

/**
 * Bounds how many events of a kind that strangers cause are stored, so that guessed passwords fill no disk. In each window the
 * first events of an act are stored one by one. The others are counted by network and details, and stored at the end of the
 * window as one event for each group, with the number of `times`.
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
    /** Whether the event is to be stored; otherwise it is counted. */
    admit(event: AuditEvent): boolean {
      const counts = countsOf(event.act);
      if (counts.stored >= SINGLE) {
        count(counts, event);
        return false;
      }
      counts.stored++;
      return true;
    },

    /** Begins another window. The events of the one that ends, which were only counted. */
    end(): AuditEvent[] {
      const counted = Array.from(acts.values()).flatMap(({ groups }) =>
        Array.from(groups.values(), ({ event, times }) => ({ ...event, details: { ...event.details, times } })),
      );
      acts = new Map();
      return counted;
    },
  };
}
