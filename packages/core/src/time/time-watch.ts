import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { steadyTime, TIME_TOLERANCE_MS } from './waits.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Time between the last reading and a start up to which the server was probably off, so that nothing is reported. */
const USUAL_DOWNTIME_MS = DAY;
/** Time for which a jump is reported, in milliseconds. */
const REPORTED_MS = DAY;
/** Job whose due time is the last trusted reading of the clock. It never runs. */
const READING = { name: 'clock', holder: '' };

/** Returns the last trusted reading of the clock on any node; null before the first. @throws `storage.unavailable` */
export const lastReading = ({ jobs }: TimeWatchDeps['storage']): Promise<number | null> => jobs.due(READING.name);

/** A jump of the clock. Times are in milliseconds since 1970. */
export interface ClockJump {
  /** Expected time. */
  readonly expected: number;
  /** Time that the clock showed instead. */
  readonly found: number;
  /** True while the clock is not trusted. */
  readonly isOpen: boolean;
}

export interface TimeWatchDeps {
  readonly storage: { readonly jobs: Pick<Storage['jobs'], 'claim' | 'due'> };
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly logger: Logger;
}

/**
 * Judges whether the clock can be trusted. After a jump, it is trusted again when it has run on for
 * `clock.grace.minutes`, or is back at the expected time. Until then, the time may be the expected one or that of the
 * clock. Both are equal otherwise.
 */
export interface TimeWatch {
  /** Compares the clock with the last reading of the last run. To be called at the start. @throws `storage.unavailable` */
  begin(): Promise<void>;
  /** Stores a reading, if the clock is trusted. To be called regularly. @throws `storage.unavailable` */
  record(): Promise<void>;
  /** Returns the earliest possible time: what expires is expired only if it is expired then. */
  earliest(): number;
  /** Returns the latest possible time: for the last use of what is deleted after a time without use. */
  latest(): number;
  /** Returns the last jump; null without one within a day. */
  jump(): ClockJump | null;
}

interface Reading {
  readonly now: number;
  readonly steady: number;
}

export function createTimeWatch({ storage, clock, settings, logger }: TimeWatchDeps): TimeWatch {
  const read = (): Reading => ({ now: clock.now(), steady: steadyTime(clock) });
  let trusted = read();
  let last = trusted;
  /** Reading after the last jump; null if the clock is trusted. */
  let doubted: Reading | null = null;
  let jump: (Pick<ClockJump, 'expected' | 'found'> & { readonly steady: number }) | null = null;
  let grace = 60 * MINUTE;

  const expectedFrom = (from: Reading, steady: number) => Math.round(from.now + steady - from.steady);
  const agree = (a: number, b: number) => Math.abs(a - b) <= TIME_TOLERANCE_MS;
  const textOf = (time: number) => new Date(time).toISOString();

  function doubt(reading: Reading, expected: number, isReported: boolean): void {
    doubted = reading;
    const readings = { expected: textOf(expected), found: textOf(reading.now), graceMinutes: grace / MINUTE };
    if (!isReported) logger.info(readings, 'time since the last run; nothing expires because of it for a while');
    else {
      jump = { expected, found: reading.now, steady: reading.steady };
      logger.warn(readings, 'the clock has jumped; nothing expires because of the jump before it is confirmed');
    }
  }

  /** Reads the clock. Resolves jumps that it confirms. */
  function check(): { readonly now: number; readonly expected: number } {
    const reading = read();
    const { now, steady } = reading;
    const after = expectedFrom(last, steady);
    last = reading;
    const expected = expectedFrom(trusted, steady);
    if (!agree(now, after)) {
      if (agree(now, expected)) logger.warn({ found: textOf(now) }, 'the clock is back at the expected time');
      else doubt(reading, after, true);
    }
    const isConfirmed = doubted !== null && steady - doubted.steady >= grace;
    if (!agree(now, expected) && !isConfirmed) return { now, expected };
    trusted = reading;
    doubted = null;
    return { now, expected: now };
  }

  async function readGrace(): Promise<void> {
    grace = (await settings.current())['clock.grace.minutes'] * MINUTE;
  }

  return {
    async begin() {
      await readGrace();
      const before = await lastReading(storage);
      const reading = read();
      const { now, steady } = reading;
      trusted = { now: before ?? now, steady };
      last = reading;
      doubted = null;
      if (before === null || agree(now, before)) return;
      doubt(reading, before, now < before || now - before > USUAL_DOWNTIME_MS);
    },
    async record() {
      await readGrace();
      const { now } = check();
      // A restart must not confirm a jump.
      if (doubted === null) await storage.jobs.claim(READING, Number.MAX_SAFE_INTEGER, now);
    },
    earliest() {
      const { now, expected } = check();
      return Math.min(now, expected);
    },
    latest() {
      const { now, expected } = check();
      return Math.max(now, expected);
    },
    jump() {
      check();
      if (jump === null || last.steady - jump.steady > REPORTED_MS) return null;
      return { expected: jump.expected, found: jump.found, isOpen: doubted !== null };
    },
  };
}
