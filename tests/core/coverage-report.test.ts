import { describe, expect, it } from 'vitest';
import { coverageReport } from '../support/coverage.ts';

const coverageOf = (files: Readonly<Record<string, readonly [covered: number, total: number]>>) => ({
  files: () => Object.keys(files),
  fileCoverageFor: (path: string) => {
    const [covered = 0, total = 0] = files[path] ?? [];
    return { toSummary: () => ({ lines: { covered, total } }) };
  },
});

describe('the report of coverage', () => {
  const files = {
    '/clone/packages/core/src/a.ts': [95, 100],
    '/clone/packages/core/src/b.ts': [0, 0],
    '/clone/packages/http/src/a.ts': [899, 1000],
    '/clone/packages/http/src/never-loaded.ts': [0, 1],
  } as const;

  it('adds up the lines of the files of each package', () => {
    const { lines } = coverageReport(coverageOf(files), { core: 95, http: 80 });
    expect(lines).toEqual(['core: 95 % of 100 lines covered', 'http: 89.8 % of 1001 lines covered']);
  });

  it('counts each package that has too few', () => {
    const { lines, missed } = coverageReport(coverageOf(files), { core: 95, http: 90 });
    const line = 'http: 89.8 % of 1001 lines covered, expected at least 90 %';
    expect([lines[1], missed]).toEqual([line, [line]]);
  });

  it('counts a package of which nothing was measured', () => {
    expect(coverageReport(coverageOf({}), { core: 95 }).missed).toHaveLength(1);
  });
});
