/** Packages of the server, with the minimum line coverage in percent. */
export const LINES: Readonly<Record<string, number>> = { core: 95, adapters: 90, http: 90, server: 0 };

/** Coverage as passed to Vitest reporters. */
export interface Coverage {
  /** Returns file paths. */
  files(): readonly string[];
  fileCoverageFor(path: string): { toSummary(): { readonly lines: Count } };
}

interface Count {
  readonly total: number;
  readonly covered: number;
}

/** Returns one line per package, and those of the packages with insufficient coverage. */
export function coverageReport(coverage: Coverage, required = LINES): { lines: string[]; missed: string[] } {
  const missed: string[] = [];
  const lines = Object.entries(required).map(([name, least]) => {
    const counts = coverage
      .files()
      .filter((path) => path.replaceAll('\\', '/').includes(`/packages/${name}/src/`))
      .map((path) => coverage.fileCoverageFor(path).toSummary().lines);
    const sum = (of: keyof Count) => counts.reduce((before, count) => before + count[of], 0);
    // Rounded down: 94.99 % is not 95 %.
    const percent = Math.floor((sum('covered') / Math.max(1, sum('total'))) * 1000) / 10;
    if (percent >= least) return `${name}: ${percent} % of ${sum('total')} lines covered`;
    const line = `${name}: ${percent} % of ${sum('total')} lines covered, expected at least ${least} %`;
    missed.push(line);
    return line;
  });
  return { lines, missed };
}
