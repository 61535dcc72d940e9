import { assertWithin, isFormatList, parseFormat, parseFormats, targetSize, variantOf } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const format = (text: string) => {
  const parsed = parseFormat(text);
  if (parsed === null) throw new Error(`"${text}" is not a format`);
  return parsed;
};
const sizeOf = (text: string, width: number, height: number) => targetSize(format(text), { width, height }, 8192);

describe('the formats of images', () => {
  it.each([
    ['25%', { kind: 'percent', percent: 25 }],
    ['100%', { kind: 'percent', percent: 100 }],
    ['007%', { kind: 'percent', percent: 7 }],
    ['<=80px', { kind: 'atMost', side: 80 }],
    ['100-200', { kind: 'box', width: 100, height: 200 }],
    ['100px-200px', { kind: 'box', width: 100, height: 200 }],
    ['100-200px', { kind: 'box', width: 100, height: 200 }],
  ])('accept %s', (text, expected) => {
    expect(parseFormat(text)).toEqual(expected);
  });

  it.each(
    ['', '0%', '000%', '%', '-5%', '12.5%', '1000%', '25', '<=0px', '<=px', '<80px', '>=80px', '80px', '0-10', '10-0']
      .concat(['10-', '-10', '10x20', '10-20-30', '25 %', ' 25%', '25%\n', '1e2%', '٢٥%', '<=9999999px'])
      .map((text) => [text]),
  )('reject "%s"', (text) => {
    expect(parseFormat(text)).toBeNull();
  });

  it('are listed with blanks between them; the list may be empty', () => {
    expect(parseFormats(' 25%  <=80px\t10-20 ').map(variantOf)).toEqual(['percent-25', 'at-most-80', 'box-10-20']);
    expect([isFormatList(''), isFormatList('25% 50%'), isFormatList('25%,50%'), isFormatList('25% 0%')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('are the same in every spelling', () => {
    expect(variantOf(format('100px-200px'))).toBe(variantOf(format('100-200')));
    expect(variantOf(format('05%'))).toBe(variantOf(format('5%')));
  });

  it.each([
    ['25%', 4000, 3000, 1000, 750],
    ['50%', 3, 5, 2, 3],
    ['1%', 10, 10, 1, 1],
    ['200%', 10, 20, 20, 40],
    ['<=80px', 400, 200, 80, 40],
    ['<=80px', 200, 400, 40, 80],
    ['<=80px', 80, 80, 80, 80],
    ['<=80px', 60, 20, 60, 20],
    ['<=80px', 8000, 10, 80, 1],
    ['100-200', 1000, 1000, 100, 100],
    ['100-200', 50, 200, 50, 200],
    ['100-200', 10, 10, 100, 100],
    ['100-200', 300, 100, 100, 33],
  ])('%s of %d × %d is %d × %d', (text, width, height, expectedWidth, expectedHeight) => {
    expect(sizeOf(text, width, height)).toEqual({ width: expectedWidth, height: expectedHeight });
  });

  it('never name or produce a side that is too long', () => {
    const refused = expect.objectContaining({ code: 'image.format_invalid' });
    expect(() => sizeOf('90%', 10_000, 10)).toThrow(refused);
    expect(() => sizeOf('300%', 10, 3000)).toThrow(refused);
    for (const text of ['<=8193px', '8193-1', '1-8193'])
      expect(() => assertWithin(format(text), 8192)).toThrow(refused);
    for (const text of ['<=8192px', '8192-1', '999%']) expect(() => assertWithin(format(text), 8192)).not.toThrow();
  });

  it('produce sides of at least one pixel that keep the ratio as closely as pixels allow', () => {
    const side = fc.integer({ min: 1, max: 20_000 });
    const text = fc.oneof(
      fc.integer({ min: 1, max: 100 }).map((percent) => `${percent}%`),
      fc.integer({ min: 1, max: 8192 }).map((most) => `<=${most}px`),
      fc.tuple(fc.integer({ min: 1, max: 8192 }), fc.integer({ min: 1, max: 8192 })).map(([w, h]) => `${w}-${h}`),
    );
    fc.assert(
      fc.property(text, side, side, (asked, width, height) => {
        const parsed = format(asked);
        const size = targetSize(parsed, { width, height }, Number.MAX_SAFE_INTEGER);
        expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
        const exact = { width: (size.height * width) / height, height: (size.width * height) / width };
        const isClose =
          Math.abs(size.width - exact.width) <= width / height + 1 ||
          Math.abs(size.height - exact.height) <= height / width + 1;
        expect(isClose).toBe(true);
        if (parsed.kind === 'atMost') {
          expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(parsed.side);
          expect(size.width <= width && size.height <= height).toBe(true);
        }
        if (parsed.kind === 'box') {
          expect(size.width <= parsed.width && size.height <= parsed.height).toBe(true);
        }
      }),
    );
  });
});
