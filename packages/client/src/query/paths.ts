/** One step of a path: the name of a member, or the index of an element. */
export type Step = string | number;

const STEP = /(?:^|\.)(?:`((?:[^`]|``)*)`|([^.[\]`]+))|\[(\d{1,15})\]/y;

/** The steps of a path such as `author.name` or `tags[0]`. A name with other characters is in backticks. @throws `TypeError` */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  for (let at = 0; at < path.length; at = STEP.lastIndex) {
    const [, quoted, plain, index] = STEP.exec(path) ?? [];
    const name = quoted?.replaceAll('``', '`') ?? plain;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined && at > 0) steps.push(Number(index));
    else throw invalid(path);
  }
  if (steps.length === 0) throw invalid(path);
  return steps;
}

const invalid = (path: string) =>
  new TypeError(`${JSON.stringify(path)} is no path: expected names such as author.name or tags[0]`);

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** A path in the query language. Every name is quoted, so that no name is taken for an operator or a function. */
export function queryPath(path: string): string {
  return stepsOf(path)
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${quoted(step)}`))
    .join('');
}

const WORD = /^[\p{L}\p{M}_@$][\p{L}\p{M}\p{Nd}_@$]*$/u;

/** A path of `expand`. Plain ones stay as they are, because the answer names what it expanded by the path as written. */
export const expandPath = (path: string) =>
  stepsOf(path).every((step) => typeof step === 'number' || WORD.test(step)) ? path : queryPath(path);

/** A name for a column of a result. */
export const columnName = quoted;

const PLAIN = /^[\p{L}\p{M}\p{Nd}_@$-]+$/u;

/** A path as segments of a URL: `/.author/.roles[3]`. @param end `[]` to append to the list at the path */
export function fieldPath(path: string, end = ''): string {
  const names: string[] = [];
  for (const step of stepsOf(path)) {
    if (typeof step === 'number') names.push(`${names.pop() ?? ''}[${step}]`);
    else names.push(PLAIN.test(step) ? step : quoted(step));
  }
  return names.map((name, index) => `/.${encodeURIComponent(index === names.length - 1 ? name + end : name)}`).join('');
}

/** The segment of one member, whatever its name is. */
export const memberPath = (name: string) => `/.${encodeURIComponent(PLAIN.test(name) ? name : quoted(name))}`;
