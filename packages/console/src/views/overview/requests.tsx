import type { Traffic } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { Chart } from '../../parts/chart.tsx';
import { Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { dateText, shortNumberText, timeText } from '../../values/format.ts';

const TEXTS = texts.overview;

const last = (values: readonly (number | null)[]) => values.reduce<number>((before, value) => value ?? before, 0);
const highest = (values: readonly (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0));
const durations = (values: readonly (number | null)[]) =>
  TEXTS.latestAndMax(shortNumberText(last(values)), shortNumberText(highest(values)));

/** Requests of the last hour and their durations. */
export function Requests({ traffic: { since, minutes } }: { readonly traffic: Traffic }): ReactNode {
  const labels = minutes.map(({ time }) => timeText(time));
  const of = (what: 'requests' | 'clientErrors' | 'serverErrors' | 'p50' | 'p95') => minutes.map((one) => one[what]);
  const [p50, p95] = [of('p50'), of('p95')];
  return (
    <div className="split">
      <Section title={TEXTS.traffic} isCard={true}>
        <p className="meta">{TEXTS.trafficSince(dateText(since))}</p>
        <Chart
          kind="bars"
          title={TEXTS.traffic}
          by={TEXTS.minute}
          labels={labels}
          series={[
            { name: TEXTS.requests, values: of('requests') },
            { name: TEXTS.clientErrors, values: of('clientErrors') },
            { name: TEXTS.serverErrors, values: of('serverErrors') },
          ]}
        />
      </Section>
      <Section title={TEXTS.latency} isCard={true}>
        <p className="meta">{TEXTS.latencyAbout}</p>
        <Chart
          kind="lines"
          title={TEXTS.latency}
          by={TEXTS.minute}
          labels={labels}
          series={[
            { name: TEXTS.p50, values: p50, summary: durations(p50) },
            { name: TEXTS.p95, values: p95, summary: durations(p95) },
          ]}
        />
      </Section>
    </div>
  );
}
