import type { AuditEvent } from '../ports/audit.ts';

/** The length of a window. Milliseconds. */
export const BURST_WINDOW_MS = 60_000;
/** Events of a window that are stored one by one. */
const SINGLE = 10;
/** Further events are counted in this many groups, and in one for everything else. */
const GROUPS = 10;

const OTHERS = 'others';

/**
 * Bounds how many events of a kind that strangers cause are stored, so that guessed passwords fill no disk. In each window the
 * first events are stored one by one. The others are counted by network and details, and stored at the end of the window
 * as one event for each group, with the number of `times`.
 */
export function createBursts() {
  let passed = 0;
  let groups = new Map<string, { event: AuditEvent; times: number }>();

  function keyOf({ act, network, details }: AuditEvent): string {
    const key = JSON.stringify([act, network, details]);
    return groups.has(key) || groups.size < GROUPS ? key : `${OTHERS} ${act}`;
  }

  /** Whom the events of a group concern, as long as it is the same. */
  const sameTarget = (before: AuditEvent, now: AuditEvent) => (before.to?.id === now.to?.id ? before.to : null);

  return {
    /** Whether the event is to be stored; otherwise it is counted. */
    admit(event: AuditEvent): boolean {
      if (passed < SINGLE) {
        passed++;
        return true;
      }
      const key = keyOf(event);
      const before = groups.get(key);
      const isOther = key.startsWith(OTHERS);
      const counted = isOther ? { ...event, network: null, to: null, details: {} } : event;
      const to = before === undefined ? counted.to : sameTarget(before.event, counted);
      groups.set(key, { event: { ...counted, to }, times: (before?.times ?? 0) + 1 });
      return false;
    },

    /** Begins another window. The events of the one that ends, which were only counted. */
    end(): AuditEvent[] {
      const counted = Array.from(groups.values(), ({ event, times }) => ({
        ...event,
        details: { ...event.details, times },
      }));
      passed = 0;
      groups = new Map();
      return counted;
    },
  };
}
