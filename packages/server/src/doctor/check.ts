import type { Logger } from '@baobab/core';
import type { Config, Environment } from '../config.ts';

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
export interface Patient {
  readonly env: Environment;
  readonly config: Config;
  readonly logger: Logger;
  readonly surroundings: Surroundings;
}

export const ok = (text: string): Finding => ({ state: 'ok', text, remedy: null });
export const fault = (text: string, remedy: string): Finding => ({ state: 'fault', text, remedy });
export const skipped = (text: string): Finding => ({ state: 'skipped', text, remedy: null });

/** The code of an error, of the system or of a driver, or of its cause. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const own = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.cause instanceof Error ? codeOf(error.cause) || own : own;
}

/** The message of an error, or of its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || codeOf(error);
}
