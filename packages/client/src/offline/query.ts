import { type Compare, comparatorOf, compareTexts, valueAt } from '../live/order.ts';
import { changeBetween } from '../live/window.ts';
import type { LiveCall, LiveListener, LiveState } from '../query/live.ts';
import { orderText } from '../query/order.ts';
import { type Step, stepsOf } from '../query/paths.ts';
import type { DocumentFields } from '../wire.ts';
import type { Local } from './local.ts';
import type { LocalOperator, OfflineQuery } from './types.ts';

type Test = (document: DocumentFields) => boolean;

interface Condition {
  readonly path: string;
  readonly operator: LocalOperator;
  readonly value: unknown;
}

interface Filter {
  readonly test: (document: DocumentFields, ...params: readonly unknown[]) => boolean;
  readonly params: readonly unknown[];
}

interface State {
  readonly conditions: readonly Condition[];
  readonly filters: readonly Filter[];
  readonly orderBy: readonly string[];
}

const plain = (value: unknown) => (value instanceof Date ? value.toISOString().replace('Z', '+0000') : value);

/** Compares two scalars of the same type; returns null for anything else. */
function compared(a: unknown, b: unknown): number | null {
  if (typeof a !== typeof b || a === null || typeof a === 'object' || a === undefined) return null;
  return typeof a === 'string' ? compareTexts(a, b as string) : Number(a) - Number(b);
}

const OPERATORS: Readonly<Record<LocalOperator, (value: unknown, operand: unknown) => boolean>> = {
  '=': (a, b) => compared(a, b) === 0,
  '<>': (a, b) => (compared(a, b) ?? 0) !== 0,
  '<': (a, b) => (compared(a, b) ?? 0) < 0,
  '<=': (a, b) => (compared(a, b) ?? 1) <= 0,
  '>': (a, b) => (compared(a, b) ?? 0) > 0,
  '>=': (a, b) => (compared(a, b) ?? -1) >= 0,
  in: (a, b) => (b as readonly unknown[]).some((one) => (one === null ? a === null : compared(a, plain(one)) === 0)),
  contains: (a, b) => Array.isArray(a) && a.some((one) => compared(one, b) === 0),
  'is null': (a) => a === null,
  'is not null': (a) => a !== null,
};

function testOf({ path, operator, value }: Condition): Test {
  const steps: Step[] = stepsOf(path);
  const operand = plain(value);
  const holds = OPERATORS[operator];
  return (document) => holds(valueAt(document, steps) ?? null, operand);
}

/** Returns matching rows of the local store. */
function rowsOf(local: Local, collection: string, { conditions, filters }: State, compare: Compare): DocumentFields[] {
  const tests = conditions.map(testOf);
  const rows: DocumentFields[] = [];
  for (const entry of local.entries().values()) {
    const document = entry.collection === collection ? local.view(entry) : null;
    if (document === null || !tests.every((test) => test(document))) continue;
    if (filters.every(({ test, params }) => test(document, ...params))) rows.push(document);
  }
  return rows.sort(compare);
}

export interface QueryDeps {
  readonly local: Local;
  readonly collection: string;
  /** Resolves when the local data is loaded. */
  readonly ready: () => Promise<void>;
  readonly isReady: () => boolean;
}

export function createOfflineQuery<T extends DocumentFields>(deps: QueryDeps, state: State): OfflineQuery<T> {
  const { local, collection, ready } = deps;
  const compare = comparatorOf(state.orderBy);
  const rows = (limit = Number.POSITIVE_INFINITY) =>
    rowsOf(local, collection, state, compare).slice(0, limit) as unknown as readonly T[];
  const but = (change: Partial<State>) => createOfflineQuery<T>(deps, { ...state, ...change });

  async function list(limit?: number): Promise<readonly T[]> {
    await ready();
    return rows(limit);
  }

  const live: LiveCall<T> = (listener, { limit, onState } = {}) => follow(deps, () => rows(limit), listener, onState);

  return {
    criteria: {
      ...state,
      filters: state.filters.map(({ test, params }) => [String(test), params]),
    },
    source: { path: collection, client: local },
    whereField: (path, operator, ...value) =>
      but({ conditions: [...state.conditions, { path, operator, value: value[0] }] }),
    filter: (test, ...params) => but({ filters: [...state.filters, { test, params } as unknown as Filter] }),
    orderBy: (path, direction = 'asc', options = {}) =>
      but({ orderBy: [...state.orderBy, orderText(path, direction, options)] }),
    list: ({ limit } = {}) => list(limit),
    first: async () => (await list(1))[0] ?? null,
    count: async () => (await list()).length,
    live,
  };
}

/** Calls the listener with the rows now, and again after each change. */
function follow<T extends DocumentFields>(
  { local, ready, isReady }: QueryDeps,
  rows: () => readonly T[],
  listener: LiveListener<T>,
  onState: ((state: LiveState) => void) | undefined,
): () => void {
  let told: readonly T[] | null = null;
  let isDue = false;
  let isOver = false;

  function tell(): void {
    isDue = false;
    if (isOver || !isReady()) return;
    const now = rows();
    const isFirst = told === null;
    const change = changeBetween(told ?? [], now) ?? (isFirst ? { added: [], updated: [], removed: [] } : null);
    if (change === null) return;
    told = now;
    listener(now, change as Parameters<LiveListener<T>>[1]);
    if (isFirst) onState?.('live');
  }

  /** Combines several changes into one call. */
  function due(): void {
    if (isDue) return;
    isDue = true;
    queueMicrotask(tell);
  }

  const stop = local.onChange(due);
  ready().then(due, () => undefined);
  return () => {
    isOver = true;
    stop();
  };
}
