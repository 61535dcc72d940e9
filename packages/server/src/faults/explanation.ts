/** Problem and its fix for the operator. */
export interface Explanation {
  /** Variable to check. */
  readonly variable: string;
  readonly problem: string;
  readonly remedy: string;
  /** Message of the remote side; null if the problem contains it. */
  readonly cause: string | null;
}

/** Formats an explanation in one line that begins with the variable. */
export const lineOf = ({ variable, problem, remedy, cause }: Explanation) =>
  `${variable}: ${problem}; ${remedy}${cause === null ? '' : ` (${cause})`}`;

/** Returns a lookup of entries by error code. Several space-separated codes may share an entry. */
export function byCode<Entry>(entries: Readonly<Record<string, Entry>>): (code: string) => Entry | null {
  const found = new Map(
    Object.entries(entries).flatMap(([codes, entry]) => codes.split(' ').map((code) => [code, entry] as const)),
  );
  return (code) => found.get(code) ?? null;
}
