import type { SqlExecutor } from './executor.ts';

/** The elements of a JSON array of texts as rows `value` and `place`, in the order of the array. */
export function jsonRows({ isLocal }: Pick<SqlExecutor, 'isLocal'>, param: string): string {
  if (isLocal) return `(select value, key as place from json_each(${param}) order by key)`;
  // As text: the driver would turn a parameter of the type json into JSON once more.
  const json = `cast(cast(${param} as text) as json)`;
  return `(select e.value, e.place from json_array_elements_text(${json}) with ordinality e(value, place))`;
}
