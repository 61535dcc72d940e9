const NEVER = Number.POSITIVE_INFINITY;

/** Whether the two characters that end at `i` and `j` are the same ones in the other order. */
const isSwapped = (one: string, other: string, i: number, j: number) =>
  i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];

/** The number of insertions, deletions, substitutions and swaps of neighbors that turn one text into the other. */
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

/** How many typing mistakes a name of some length may have. Short names have many neighbors that mean something else. */
const mistakesIn = (name: string) => (name.length <= 5 ? 1 : name.length <= 12 ? 2 : 3);

/** The name that is nearest to a text, in any case, with at most `most` mistakes; null when there is none. */
export function nearestTo(text: string, names: readonly string[], most?: number): string | null {
  const wanted = text.toUpperCase();
  let nearest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const limit = most ?? mistakesIn(name);
    if (Math.abs(name.length - wanted.length) > limit) continue;
    const mistakes = distance(wanted, name);
    if (mistakes > limit || mistakes >= least) continue;
    nearest = name;
    least = mistakes;
  }
  return nearest;
}
