import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Logger } from '@baobab/core';
import type { Config, Environment } from '../config.ts';
import { rootCause } from '../faults/causes.ts';
import type { Explanation } from '../faults/explanation.ts';
import { availableMemory } from '../memory-limits.ts';

/** Result of a check. */
export interface Finding {
  readonly state: 'ok' | 'fault' | 'skipped';
  readonly text: string;
  /** Fix for a fault; null otherwise. */
  readonly remedy: string | null;
}

/** State outside the process that checks use, in addition to the configuration. */
export interface Surroundings {
  readonly now: () => number;
  /** Free and total disk space of an existing folder, in bytes. */
  readonly roomOf: (folder: string) => Promise<{ readonly free: number; readonly size: number }>;
  readonly cores: number;
  /** Memory that the processes of this node may use together, in bytes. */
  readonly memory: number;
}

/** The state of this machine. */
export const HERE: Surroundings = {
  now: Date.now,
  async roomOf(folder) {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, size: blocks * bsize };
  },
  cores: availableParallelism(),
  memory: availableMemory(),
};

/** Input of the checks of a valid configuration. */
export interface CheckContext {
  readonly env: Environment;
  readonly config: Config;
  readonly logger: Logger;
  readonly surroundings: Surroundings;
}

export const ok = (text: string): Finding => ({ state: 'ok', text, remedy: null });
export const fault = (text: string, remedy: string): Finding => ({ state: 'fault', text, remedy });
export const skipped = (text: string): Finding => ({ state: 'skipped', text, remedy: null });

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Returns a fault with the fix of its explanation, or with `otherwise` if there is no explanation. */
export function explained(text: string, explanation: Explanation | null, otherwise: string): Finding {
  if (explanation === null) return fault(text, otherwise);
  const { remedy, variable } = explanation;
  return fault(text, `${sentence(remedy)} (${variable})`);
}

/** Returns the error code of the root cause, as reported by the system or a driver; empty if there is none. */
export const codeOf = (error: unknown): string => rootCause(error)?.code ?? '';

/** Returns the message of an error's root cause. */
export const causeText = (error: unknown): string => rootCause(error)?.message ?? String(error);
