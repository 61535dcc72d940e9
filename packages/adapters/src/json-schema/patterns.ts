import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const require = createRequire(import.meta.url);
/** Loaded when the first schema is compiled. */
const load = (): typeof import('re2js') => require('re2js');

/** Maximum length of a pattern. */
const MAX_LENGTH = 1_000;

/** Compiles a pattern in the syntax of RE2, which never backtracks. @throws Error with the problem */
function compilePattern(pattern: string): RE2JS {
  if (pattern.length > MAX_LENGTH) throw new Error(`a pattern must have at most ${MAX_LENGTH} characters`);
  const { RE2JS: Engine } = load();
  return Engine.compile(Engine.translateRegExp(pattern));
}

/** Returns the problem with a pattern, or null. */
export function patternProblem(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `this pattern cannot be used: ${message} (patterns have the syntax of RE2: no lookaround, no backreferences)`;
  }
}

/** Replaces JavaScript's regular expressions in compiled schemas. */
export const patternEngine = Object.assign((pattern: string) => compilePattern(pattern), { code: 'new RegExp' });
