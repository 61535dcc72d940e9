/** A time as the interface writes it: `2014-01-31T09:12:03.512+0000`. */
export function wireDate(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}+0000`;
}
