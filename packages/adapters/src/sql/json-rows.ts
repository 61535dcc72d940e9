import type { SqlExecutor } from './executor.ts';

/** Returns the elements of a JSON array of texts as rows `value` and `place`, in the order of the array. */
export function jsonRows({ isLocal }: Pick<SqlExecutor, 'isLocal'>, param: string): string {
  if (isLocal) return `(select value, key as place from json_each(${param}) order by key)`;
  // As text, because the driver would convert a parameter of type json to JSON again.
  const json = `cast(cast(${param} as text) as json)`;
  return `(select e.value, e.place from json_array_elements_text(${json}) with ordinality e(value, place))`;
}
