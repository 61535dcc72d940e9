/** Maximum length of a value before it is cut, in characters. */
const WIDEST = 60;
const GAP = '  ';

/** Control characters, escaped so that stored text cannot control the operator's terminal. */
const CONTROLS = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu;

const escaped = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Formats a value on one line, without control characters. */
export const visible = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(CONTROLS, escaped);
};

function cell(value: unknown): string {
  const characters = [...visible(value)];
  return characters.length > WIDEST ? `${characters.slice(0, WIDEST - 1).join('')}…` : characters.join('');
}

const lengthOf = (text: string) => [...text].length;

/** Formats rows below their column names, with columns as wide as necessary. */
export function table(names: readonly string[], rows: ReadonlyArray<readonly unknown[]>): string {
  const lines = [names, ...rows.map((row) => row.map(cell))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => lengthOf(line[i] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((text, i) => text + ' '.repeat((widths[i] ?? 0) - lengthOf(text)))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Formats names and values, one pair per line. */
export function listing(pairs: ReadonlyArray<readonly [string, unknown]>): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}${GAP}${visible(value)}`.trimEnd()).join('\n');
}
