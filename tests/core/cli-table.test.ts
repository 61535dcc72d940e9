import { describe, expect, it } from 'vitest';
import { listing, table } from '../../packages/server/src/cli/table.ts';

describe('tables of the command line', () => {
  it('align their columns', () => {
    const rows = [
      ['Zoë', 1, true],
      ['漢', 100, null],
    ];
    expect(table(['name', 'n', 'is'], rows)).toBe('name  n    is\nZoë   1    true\n漢     100');
    expect(table(['name'], [])).toBe('name');
    expect(
      listing([
        ['id', 7],
        ['longer', { a: [1] }],
      ]),
    ).toBe('id      7\nlonger  {"a":[1]}');
  });

  it('cut long values, and let none control the terminal', () => {
    const [, long] = table(['a'], [['x'.repeat(500)]]).split('\n');
    expect(long).toBe(`${'x'.repeat(59)}…`);
    expect(listing([['a', 'red \u001b[31m\nline\u202e']])).toBe('a  red \\u001b[31m\\u000aline\\u202e');
  });
});
