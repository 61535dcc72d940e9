/** A line of a diff. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Maximum product of the line counts of two changed parts. Larger parts are not compared line by line. */
const MOST_CELLS = 1_000_000;

const lines = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind, text }));

/** Compares two lists of lines by a table of the longest common subsequences of their remainders. */
function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > MOST_CELLS) return [...lines('removed', before), ...lines('added', after)];
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (let text = before[i], other = after[j]; text !== undefined && other !== undefined; ) {
    if (text === other) {
      found.push({ kind: 'same', text });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      found.push({ kind: 'removed', text });
      i++;
    } else {
      found.push({ kind: 'added', text: other });
      j++;
    }
    text = before[i];
    other = after[j];
  }
  return [...found, ...lines('removed', before.slice(i)), ...lines('added', after.slice(j))];
}

/** Returns a line-by-line diff of two texts. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [
    ...lines('same', a.slice(0, start)),
    ...compare(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...lines('same', a.slice(a.length - end)),
  ];
}
