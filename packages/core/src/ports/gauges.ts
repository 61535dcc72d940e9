/** A number about this process for monitoring; it is read when metrics are requested. */
export interface Gauge {
  /** Snake case, with its unit at the end where it has one. */
  readonly name: string;
  readonly help: string;
  read(): number | Promise<number>;
}

/** Where adapters register their gauges, such as the length of a queue. Each name is used once. */
export interface Gauges {
  add(gauge: Gauge): void;
}
