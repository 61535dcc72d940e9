/** A step of a path: a member name, or an element index. */
export type Step = string | number;

// Without blanks, commas and parentheses: `title desc` or `lower(title)` is no name of a field.
const STEP = /(?:^|\.)(?:`((?:[^`]|``)*)`|([^.[\]`\s,()]+))|\[(\d{1,15})\]/y;

/**
 * Parses a path such as `author.name` or `tags[0]`. Names with other characters are in backticks. @throws `TypeError`
 */
export function stepsOf(path: string): Step[] {
  // A list would be read as the text of its elements.
  if (typeof path !== 'string') throw invalid(path);
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
  new TypeError(`${JSON.stringify(path)} is not a path such as author.name, tags[0] or \`the day\``);

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** Returns a path in the query language. Every name is quoted, so that none is mistaken for an operator or function. */
export function queryPath(path: string): string {
  return stepsOf(path)
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${quoted(step)}`))
    .join('');
}

const WORD = /^[\p{L}\p{M}_@$][\p{L}\p{M}\p{Nd}_@$]*$/u;

/** Returns a path for `expand`. Plain paths stay unquoted, because the response uses the path as written. */
export const expandPath = (path: string) =>
  stepsOf(path).every((step) => typeof step === 'number' || WORD.test(step)) ? path : queryPath(path);

/** Returns the name of a result column. */
export const columnName = quoted;

const PLAIN = /^[\p{L}\p{M}\p{Nd}_@$-]+$/u;

/** Returns the path of one member with any name. */
export const memberName = (name: string) => (PLAIN.test(name) ? name : quoted(name));

/** Returns a path as URL segments: `/.author/.roles[3]`. @param end `[]` to append to the list at the path */
export function fieldPath(path: string, end = ''): string {
  const names: string[] = [];
  for (const step of stepsOf(path)) {
    if (typeof step === 'number') names.push(`${names.pop() ?? ''}[${step}]`);
    else names.push(memberName(step));
  }
  return names.map((name, index) => `/.${encodeURIComponent(index === names.length - 1 ? name + end : name)}`).join('');
}
