/** Query parameters: absent where undefined, repeated for each element of an array. */
export type QueryParams = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One segment of a path. @throws `TypeError` for what no URL can express as a segment */
function segment(value: string): string {
  // A URL parser resolves dots, encoded or not: "/document/notes/.." would be another route.
  if (value === '' || value === '.' || value === '..') {
    throw new TypeError(`${JSON.stringify(value)} cannot be a part of a path: expected a name or an id`);
  }
  return encodeURIComponent(value);
}

/** A path whose values are encoded as one segment each. */
export function path(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return strings.reduce((before, text, index) => before + segment(values[index - 1] ?? '') + text);
}

export function queryText(params: QueryParams): string {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    (value === undefined ? [] : Array.isArray(value) ? value : [value]).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`,
    ),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
