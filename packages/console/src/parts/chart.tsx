import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { shortNumberText } from '../values/format.ts';
import { SmallTable } from './small-table.tsx';

const TEXTS = texts.overview;
const WIDTH = 600;
const HEIGHT = 120;
const GAP = 0.2;
const HALF = 0.5;

interface Series {
  readonly name: string;
  /** One value per label; null if unknown. */
  readonly values: readonly (number | null)[];
  /** Follows the name in the summary; default: the sum of the values. */
  readonly summary?: string;
}

interface ChartProps {
  readonly title: string;
  /** Title of the column of labels. */
  readonly by: string;
  readonly labels: readonly string[];
  /** At most three. They are drawn side by side, from the same base. */
  readonly series: readonly Series[];
  readonly kind: 'bars' | 'lines';
}

/** Returns a round number at or above the highest value: 1, 2 or 5 times a power of ten. */
function scaleOf(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= most) ?? most;
}

const highest = (series: readonly Series[]) =>
  Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));

const summaryOf = ({ name, values, summary }: Series) =>
  TEXTS.inAll(name, summary ?? shortNumberText(values.reduce<number>((sum, value) => sum + (value ?? 0), 0)));

const heightOf = (value: number, top: number) => (top === 0 ? 0 : (value / top) * HEIGHT);

interface DrawnProps extends Pick<ChartProps, 'labels' | 'series'> {
  /** Value at the upper edge. */
  readonly top: number;
}

function Bars({ labels, series, top }: DrawnProps): ReactNode {
  const count = series[0]?.values.length ?? 0;
  const step = WIDTH / Math.max(1, count);
  const width = (step * (1 - GAP)) / Math.max(1, series.length);
  return series.map(({ name, values }, of) => (
    <g key={name} className={`series-${of + 1}`}>
      {values.map((value, at) => {
        const height = heightOf(value ?? 0, top);
        const x = at * step + (step * GAP) / 2 + of * width;
        return height > 0 && <rect key={labels[at]} x={x} y={HEIGHT - height} width={width} height={height} />;
      })}
    </g>
  ));
}

/** Returns the path of a line for each run of known values. */
function pathOf(values: Series['values'], top: number): string {
  const step = WIDTH / Math.max(1, values.length);
  let isDrawn = false;
  return values
    .map((value, at) => {
      const command = isDrawn ? 'L' : 'M';
      isDrawn = value !== null;
      return value === null ? '' : `${command}${(at + HALF) * step} ${HEIGHT - heightOf(value, top)}h0`;
    })
    .join('');
}

function Lines({ series, top }: Omit<DrawnProps, 'labels'>): ReactNode {
  return series.map(({ name, values }, of) => (
    <path key={name} className={`series-${of + 1} line`} d={pathOf(values, top)} />
  ));
}

/** A chart, with the same figures as an accessible table. */
export function Chart({ title, by, labels, series, kind }: ChartProps): ReactNode {
  const top = scaleOf(highest(series));
  const summary = `${title}. ${series.map(summaryOf).join(', ')}`;
  return (
    <figure className="chart">
      <figcaption>
        <ul className="legend meta">
          {series.map((one, of) => (
            <li key={one.name}>
              <span className={`swatch series-${of + 1}`} aria-hidden="true" /> {summaryOf(one)}
            </li>
          ))}
        </ul>
      </figcaption>
      <div className="chart-frame">
        <div className="chart-scale meta" aria-hidden="true">
          <span>{shortNumberText(top)}</span>
          <span>{shortNumberText(top / 2)}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          {kind === 'bars' ? <Bars labels={labels} series={series} top={top} /> : <Lines series={series} top={top} />}
        </svg>
        <div className="chart-axis meta" aria-hidden="true">
          <span>{labels[0]}</span>
          <span>{labels[Math.floor(labels.length / 2)]}</span>
          <span>{labels.at(-1)}</span>
        </div>
      </div>
      <details>
        <summary className="meta">{TEXTS.asTable}</summary>
        <SmallTable label={title} heads={[by, ...series.map(({ name }) => [name] as const)]}>
          {labels.map((label, at) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ name, values }) => (
                <td key={name} className="number">
                  {values[at] === null || values[at] === undefined ? '–' : shortNumberText(values[at])}
                </td>
              ))}
            </tr>
          ))}
        </SmallTable>
      </details>
    </figure>
  );
}
