const NEVER = Number.POSITIVE_INFINITY;

/** Returns true if the two characters that end at `i` and `j` are swapped. */
const isSwapped = (one: string, other: string, i: number, j: number) =>
  i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn one text into the other.
 */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const current = [i];
    for (let j = 1; j <= other.length; j++) {
      const kept = (previous[j - 1] ?? NEVER) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = isSwapped(one, other, i, j) ? (before[j - 2] ?? NEVER) + 1 : NEVER;
      current.push(Math.min((previous[j] ?? NEVER) + 1, (current[j - 1] ?? NEVER) + 1, kept, swapped));
    }
    before = previous;
    previous = current;
  }
  return previous[other.length] ?? NEVER;
}

/**
 * Returns the name that a misspelled text probably means, ignoring case; null if none is near enough.
 *
 * @param most returns the maximum number of mistakes in a misspelling of a name
 */
export function nearestName(text: string, names: readonly string[], most: (name: string) => number): string | null {
  const wanted = text.toLowerCase();
  let nearest: string | null = null;
  let least = NEVER;
  for (const name of names) {
    const limit = most(name);
    if (Math.abs(name.length - wanted.length) > limit) continue;
    const mistakes = distance(wanted, name.toLowerCase());
    if (mistakes > limit || mistakes >= least) continue;
    nearest = name;
    least = mistakes;
  }
  return nearest;
}
