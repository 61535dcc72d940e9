import { type Actor, requireAdmin } from '../actor.ts';
import type { Clock } from '../ports/clock.ts';
import type { CreatedOnDay, Measurement } from '../ports/storage/statistics.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { timeoutOf } from '../sessions/session-tokens.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { lasts } from '../time/waits.ts';
import { ADMINISTRATOR_NAME } from '../users/administrator.ts';

const DAY_MS = 86_400_000;
/** Number of days covered by the daily figures, including today. */
const STATISTICS_DAYS = 30;
/** Minimum time for which a measurement is cached, in milliseconds. */
const STATISTICS_KEPT_MS = 5 * 60_000;
/** A measurement is cached for this many times its duration, so that measuring takes at most 1 % of the time. */
const KEPT_PER_TAKEN = 100;

export interface Statistics extends Measurement {
  /** Time of counting, in milliseconds. */
  readonly measured: number;
  /** Time from which a call counts again, in milliseconds. */
  readonly keptUntil: number;
  /** Every day of the period, the oldest first. */
  readonly days: readonly CreatedOnDay[];
}

export interface StatisticsDeps {
  readonly storage: Pick<Storage, 'statistics'>;
  readonly settings: SettingsReader;
  readonly clock: Clock;
}

export type StatisticsUseCases = ReturnType<typeof createStatistics>;

export function createStatistics({ storage, settings, clock }: StatisticsDeps) {
  let latest: Statistics | null = null;
  let running: Promise<Statistics> | null = null;

  async function measure(): Promise<Statistics> {
    const begun = clock.now();
    const timeout = timeoutOf(await settings.current());
    const today = Math.floor(begun / DAY_MS);
    const first = today - STATISTICS_DAYS + 1;
    const found = await storage.statistics.measure({
      activeSince: timeout === 0 ? 0 : begun - timeout,
      createdSince: first * DAY_MS,
      without: ADMINISTRATOR_NAME,
    });
    const byDay = new Map(found.days.map((one) => [one.day, one]));
    const days = Array.from({ length: STATISTICS_DAYS }, (_, at) => {
      const day = first + at;
      return byDay.get(day) ?? { day, users: 0, documents: 0, files: 0 };
    });
    const now = clock.now();
    const keptUntil = now + Math.max(STATISTICS_KEPT_MS, KEPT_PER_TAKEN * (now - begun));
    return { ...found, days, measured: begun, keptUntil };
  }

  return {
    /**
     * Returns figures about all stored data. They are cached for five minutes or longer, because counting takes longer
     * the more is stored, and concurrent calls share one count.
     *
     * @throws `auth.required`, `admin.required`, `search.too_long`
     */
    async read(actor: Actor): Promise<Statistics> {
      requireAdmin(actor);
      if (latest !== null && lasts(latest.keptUntil, clock.now(), latest.keptUntil - latest.measured)) return latest;
      running ??= measure().finally(() => {
        running = null;
      });
      latest = await running;
      return latest;
    },
  };
}
