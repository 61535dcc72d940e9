import type { Variable } from '../config/variables.ts';
import { type Config, ConfigError, type Environment, parseConfig, VARIABLES } from '../config.ts';
import type { UnknownVariable } from '../environment.ts';
import { type CheckContext, type Finding, fault, ok } from './check.ts';

/** Number of processes per core beyond which more only cost memory. */
const WORKERS_PER_CORE = 4;

function remedyOf(problem: string): string {
  const name = problem.slice(0, problem.indexOf(' '));
  if (!Object.hasOwn(VARIABLES, name)) return 'Correct the environment as docs/configuration.md describes';
  const initial = VARIABLES[name as Variable].default ?? '';
  return `Correct ${name}, or unset it${initial === '' ? '' : ` for its default, ${initial}`}`;
}

interface Configuration {
  /** Null if invalid. */
  readonly config: Config | null;
  readonly faults: Finding[];
}

/** @param unknown variables with misspelled names */
export function readConfiguration(env: Environment, unknown: readonly UnknownVariable[]): Configuration {
  const faults = unknown.map(({ variable: name, nearest: meant }) =>
    fault(`${name} is not a variable of this program`, `Rename it to ${meant}, or unset it`),
  );
  try {
    return { config: parseConfig(env), faults };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: null, faults: [...faults, ...error.problems.map((problem) => fault(problem, remedyOf(problem)))] };
  }
}

export function checkWorkers(context: Pick<CheckContext, 'config' | 'surroundings'>): Finding {
  const { workers } = context.config;
  const { cores } = context.surroundings;
  const most = WORKERS_PER_CORE * cores;
  if (workers <= most) return ok(`${workers} ${workers === 1 ? 'process' : 'processes'} on ${cores} cores`);
  return fault(
    `WORKERS is ${workers}, but this machine has ${cores} cores`,
    'Set WORKERS to auto, which means one process for each core',
  );
}
