/** A test that failed, or what failed outside of tests. */
export interface Failure {
  readonly test: string;
  readonly error: string;
}

/** Outcome of one test file. */
interface FileOutcome {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

/** Outcome of a run: files by their path in the project. Coverage and errors without a file are in the file ''. */
export type Outcome = Readonly<Record<string, FileOutcome>>;

export const failedFiles = (outcome: Outcome): string[] =>
  Object.entries(outcome).flatMap(([path, { failures }]) => (failures.length > 0 ? [path] : []));

/** The line that scripts parse. A run without tests has failed. */
export function closingLine(outcome: Outcome): string {
  const all = Object.values(outcome);
  const failed = all.reduce((sum, { failures }) => sum + failures.length, 0);
  return `${all.reduce((sum, { passed }) => sum + passed, 0)} passed, ${all.length === 0 ? 1 : failed} failed`;
}
