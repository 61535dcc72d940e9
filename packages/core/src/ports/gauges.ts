interface Named {
  /** Snake case, with the unit, if any, at the end. */
  readonly name: string;
  readonly help: string;
}

/** A metric of this process, read when metrics are requested. */
export interface Gauge extends Named {
  read(): number | Promise<number>;
}

/** Counts of this process by the values of a label. The set of values is fixed. */
export interface LabelledCounts extends Named {
  readonly label: string;
  read(): ReadonlyMap<string, number>;
}

/** Registry of adapters' gauges, such as the length of a queue. Names are unique. */
export interface Gauges {
  add(gauge: Gauge | LabelledCounts): void;
}
