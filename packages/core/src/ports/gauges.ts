interface Named {
  /** Snake case, with its unit at the end where it has one. */
  readonly name: string;
  readonly help: string;
}

/** A number about this process for monitoring; it is read when metrics are requested. */
export interface Gauge extends Named {
  read(): number | Promise<number>;
}

/** Counts of this process by the values of a label, of which there is a fixed number. */
export interface LabelledCounts extends Named {
  readonly label: string;
  read(): ReadonlyMap<string, number>;
}

/** Where adapters register their gauges, such as the length of a queue. Each name is used once. */
export interface Gauges {
  add(gauge: Gauge | LabelledCounts): void;
}
