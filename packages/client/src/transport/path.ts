/** Query parameters. Undefined values are omitted; arrays repeat the parameter. */
export type QueryParams = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Encodes one segment of a path. @throws `TypeError` if a URL cannot express the value */
function segment(value: string): string {
  // A URL parser resolves dots, encoded or not: "/document/notes/.." would be another route.
  if (value === '' || value === '.' || value === '..') {
    throw new TypeError(`${JSON.stringify(value)} cannot be a part of a path: expected a name or an id`);
  }
  return encodeURIComponent(value);
}

/** Builds a path; each value is encoded as one segment. */
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
