import type { Timers } from '@baobab/core';

export function createSystemTimers(): Timers {
  return {
    after(milliseconds, work) {
      const timer = setTimeout(work, milliseconds).unref();
      return () => clearTimeout(timer);
    },
  };
}
