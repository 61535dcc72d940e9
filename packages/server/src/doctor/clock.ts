import { type ClockJump, TIME_TOLERANCE_MS } from '@baobab/core';
import { type Finding, fault, ok } from './check.ts';

const MS_PER_DAY = 24 * 60 * 60_000;
const textOf = (time: number) => new Date(time).toISOString();
const SYNCHRONIZE = 'Synchronize the clock by NTP';

/** Checks the clock of a running server. */
export function checkJump(jump: ClockJump | null): Finding {
  if (jump === null) return ok('The clock has not jumped in the last 24 hours');
  const { expected, found, isOpen } = jump;
  const text = `The clock jumped to ${textOf(found)} at ${textOf(expected)}`;
  if (!isOpen) return fault(`${text}; it is trusted again`, SYNCHRONIZE);
  return fault(
    `${text}; until it is trusted, nothing expires because of the jump`,
    `${SYNCHRONIZE}. If the time is right now, wait for clock.grace.minutes, or set it to 0`,
  );
}

/** Compares the clock with the last reading of a server. Returns null if they fit together. */
export function checkLastReading(last: number | null, now: number): Finding | null {
  if (last === null) return null;
  if (last - now > TIME_TOLERANCE_MS) {
    return fault(`The clock shows ${textOf(now)}, but the server ran at ${textOf(last)}`, SYNCHRONIZE);
  }
  if (now - last < MS_PER_DAY) return null;
  return ok(`The clock shows ${textOf(now)}, its last trusted reading ${textOf(last)}: right if the server was off`);
}
