import type { Logger } from '@baobab/core';
import type { Config, Environment } from '../config.ts';
import { rootCause } from '../faults/causes.ts';
import type { Explanation } from '../faults/explanation.ts';

/** What a check found. */
export interface Finding {
  readonly state: 'ok' | 'fault' | 'skipped';
  readonly text: string;
  /** What to do about a fault; null otherwise. */
  readonly remedy: string | null;
}

/** Where checks look outside of the process, apart from what the configuration names. */
export interface Surroundings {
  readonly now: () => number;
  /** The room on the disk of an existing folder, in bytes. */
  readonly roomOf: (folder: string) => Promise<{ readonly free: number; readonly size: number }>;
  readonly cores: number;
}

/** What checks of a valid configuration look at. */
export interface CheckContext {
  readonly env: Environment;
  readonly config: Config;
  readonly logger: Logger;
  readonly surroundings: Surroundings;
}

export const ok = (text: string): Finding => ({ state: 'ok', text, remedy: null });
export const fault = (text: string, remedy: string): Finding => ({ state: 'fault', text, remedy });
export const skipped = (text: string): Finding => ({ state: 'skipped', text, remedy: null });

/** A fault with the remedy of its explanation, or with another one when there is none. */
export function explained(text: string, explanation: Explanation | null, otherwise: string): Finding {
  if (explanation === null) return fault(text, otherwise);
  const { remedy, variable } = explanation;
  return fault(text, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)} (${variable})`);
}

/** The code of what caused an error, as the system or a driver reports it; empty when there is none. */
export const codeOf = (error: unknown): string => rootCause(error)?.code ?? '';

/** The message of what caused an error. */
export const causeText = (error: unknown): string => rootCause(error)?.message ?? String(error);
