/** What is wrong, and what the operator has to do about it. */
export interface Explanation {
  /** The variable to look at. */
  readonly variable: string;
  readonly problem: string;
  readonly remedy: string;
  /** What the other side said; null when the problem contains it. */
  readonly cause: string | null;
}

/** An explanation in one line that begins with the variable. */
export const lineOf = ({ variable, problem, remedy, cause }: Explanation) =>
  `${variable}: ${problem}; ${remedy}${cause === null ? '' : ` (${cause})`}`;

/** Finds entries by the code of an error. Several codes, separated by blanks, may share an entry. */
export function byCode<Entry>(entries: Readonly<Record<string, Entry>>): (code: string) => Entry | null {
  const found = new Map(
    Object.entries(entries).flatMap(([codes, entry]) => codes.split(' ').map((code) => [code, entry] as const)),
  );
  return (code) => found.get(code) ?? null;
}
