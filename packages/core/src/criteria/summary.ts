import { compareSortValues } from './order.ts';
import type { Aggregate, AggregateName, Path, Scalar } from './syntax.ts';
import { type Resolve, scalarOf, type Value, valueAt } from './values.ts';

/** A value of a summary: a scalar, or null if it is absent. */
export type SummaryValue = Scalar | null;

/** `column` is an index into the group values followed by the aggregates. */
export interface SummaryOrderKey {
  readonly column: number;
  readonly descending: boolean;
}

export interface SummaryRequest {
  readonly groupBy: readonly Path[];
  readonly aggregates: readonly Aggregate[];
  readonly order: readonly SummaryOrderKey[];
}

/**
 * Significant digits to which `sum` and `avg` are rounded. Databases add in different orders, so the last digits
 * differ.
 */
const DIGITS = 15;

export const roundAggregate = (number: number) => Number(number.toPrecision(DIGITS));

interface Accumulator {
  add(value: Value): void;
  result(): SummaryValue;
}

/** Sums with Neumaier's algorithm, which tracks the rounding errors separately, so that the order hardly matters. */
function total(isAverage: boolean): Accumulator {
  let [sum, lost, count] = [0, 0, 0];
  return {
    add(value) {
      if (typeof value !== 'number') return;
      const next = sum + value;
      lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      sum = next;
      count++;
    },
    result() {
      if (isAverage && count === 0) return null;
      const exact = Number.isFinite(sum) ? sum + lost : sum;
      return roundAggregate(isAverage ? exact / count : exact);
    },
  };
}

function extreme(direction: 1 | -1): Accumulator {
  let best: SummaryValue = null;
  return {
    add(value) {
      const scalar = scalarOf(value);
      if (scalar === null) return;
      if (best === null || compareSortValues(scalar, best) * direction < 0) best = scalar;
    },
    result: () => best,
  };
}

function counter(): Accumulator {
  let count = 0;
  return {
    add: (value) => {
      if (value !== undefined && value !== null) count++;
    },
    result: () => count,
  };
}

const ACCUMULATORS: Readonly<Record<AggregateName, () => Accumulator>> = {
  count: counter,
  sum: () => total(false),
  avg: () => total(true),
  min: () => extreme(1),
  max: () => extreme(-1),
};

interface Group {
  readonly values: readonly SummaryValue[];
  readonly accumulators: readonly Accumulator[];
}

/** Compares by the requested order, then by all group values, which differ between any two groups. */
function compareRows(order: readonly SummaryOrderKey[], groups: number) {
  const places = Array.from({ length: groups }, (_, column) => ({ column, descending: false }));
  const keys = [...order, ...places];
  return (a: readonly SummaryValue[], b: readonly SummaryValue[]): number => {
    for (const { column, descending } of keys) {
      const difference = compareSortValues(a[column] ?? null, b[column] ?? null);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  };
}

/**
 * Groups objects: one row for each combination of the values at `groupBy`, or a single row if it is empty (even without
 * objects). A row contains the values at `groupBy` and then the aggregates.
 */
export function summarize(
  objects: Iterable<Resolve>,
  { groupBy, aggregates, order }: SummaryRequest,
): SummaryValue[][] {
  const groups = new Map<string, Group>();

  function groupOf(values: readonly SummaryValue[]): Group {
    const key = JSON.stringify(values);
    const known = groups.get(key);
    if (known !== undefined) return known;
    const group = { values, accumulators: aggregates.map(({ name }) => ACCUMULATORS[name]()) };
    groups.set(key, group);
    return group;
  }

  if (groupBy.length === 0) groupOf([]);
  for (const resolve of objects) {
    const group = groupOf(groupBy.map((path) => scalarOf(valueAt(path, resolve))));
    for (const [at, { path }] of aggregates.entries()) {
      group.accumulators[at]?.add(path === null ? true : valueAt(path, resolve));
    }
  }
  return Array.from(groups.values(), ({ values, accumulators }) => [
    ...values,
    ...accumulators.map((accumulator) => accumulator.result()),
  ]).sort(compareRows(order, groupBy.length));
}
