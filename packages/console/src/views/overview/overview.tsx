import type { ServiceCheck, Statistics, Traffic } from '@baobab/client/admin';
import { type ReactNode, useCallback } from 'react';
import { Chart } from '../../parts/chart.tsx';
import { useService } from '../../parts/service.ts';
import { State } from '../../parts/state.tsx';
import { Loading, Table, View } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, dateText, timeText } from '../../values/format.ts';

const TEXTS = texts.overview;
/** Checks that determine the health of the server. */
const HEALTH = ['database', 'blobs', 'mail', 'push'] as const;
const LARGEST = 5;

/** Health and statistics of the server. Its parts load independently. */
export function Overview(): ReactNode {
  const { admin } = useService().client;
  const checks = useLoad(useCallback((signal: AbortSignal) => admin.checks({ signal }), [admin]));
  const statistics = useLoad(useCallback((signal: AbortSignal) => admin.statistics({ signal }), [admin]));
  const traffic = useLoad(useCallback((signal: AbortSignal) => admin.traffic({ signal }), [admin]));
  const refresh = () => {
    for (const one of [checks, statistics, traffic]) one.reload();
  };
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" onClick={refresh}>
          {TEXTS.refresh}
        </button>
      }
    >
      <Loading loaded={checks}>
        {(found) => (
          <>
            <ToMend checks={found} />
            <Health checks={found} />
          </>
        )}
      </Loading>
      <Loading loaded={statistics}>{(figures) => <Stored figures={figures} />}</Loading>
      <Loading loaded={traffic}>{(requests) => <Requests traffic={requests} />}</Loading>
      <Backup />
    </View>
  );
}

interface ChecksProps {
  readonly checks: readonly ServiceCheck[];
}

function ToMend({ checks }: ChecksProps): ReactNode {
  const faults = checks.filter(({ state }) => state === 'fault');
  const all = <a href={hrefOf(['checks'])}>{TEXTS.openChecks}</a>;
  if (faults.length === 0) {
    return (
      <p>
        {TEXTS.allMended} {all}
      </p>
    );
  }
  return (
    <section className="card warn" aria-label={TEXTS.toMend(faults.length)}>
      <h2>{TEXTS.toMend(faults.length)}</h2>
      <p>{TEXTS.toMendAbout}</p>
      <ul>
        {faults.map(({ check, text }) => (
          <li key={`${check} ${text}`}>
            <strong>{texts.checks.names[check]}</strong>: {text}
          </li>
        ))}
      </ul>
      {all}
    </section>
  );
}

/** Returns the worst finding of a check. */
function worst(checks: readonly ServiceCheck[], name: ServiceCheck['check']): ServiceCheck | undefined {
  const found = checks.filter(({ check }) => check === name);
  return found.find(({ state }) => state === 'fault') ?? found[0];
}

function Health({ checks }: ChecksProps): ReactNode {
  return (
    <section className="card" aria-label={TEXTS.health}>
      <h2>{TEXTS.health}</h2>
      <dl>
        {HEALTH.map((name) => {
          const found = worst(checks, name);
          return (
            found !== undefined && (
              <div key={name} className="pair">
                <dt>{TEXTS.parts[name]}</dt>
                <dd>
                  <State state={found.state} /> <span className="dim">{found.text}</span>
                </dd>
              </div>
            )
          );
        })}
      </dl>
    </section>
  );
}

const counted = (count: number, size: number) => `${count.toLocaleString()} (${bytesText(size)})`;

function Stored({ figures }: { readonly figures: Statistics }): ReactNode {
  const { users, sessions, documents, files, assets, days, measured } = figures;
  const tiles = [
    [TEXTS.users, users.toLocaleString(), hrefOf(['users'])],
    [TEXTS.sessions, sessions.toLocaleString(), null],
    [TEXTS.documents, counted(documents.count, documents.size), hrefOf(['collections'])],
    [TEXTS.files, counted(files.count, files.size), null],
    [TEXTS.assets, counted(assets.count, assets.size), null],
  ] as const;
  const created = (what: 'users' | 'documents' | 'files') => days.map((day) => day[what]);
  const largest = [...documents.collections].sort((a, b) => b.size - a.size).slice(0, LARGEST);
  return (
    <>
      <section className="card" aria-label={TEXTS.stored}>
        <h2>{TEXTS.stored}</h2>
        <dl className="tiles">
          {tiles.map(([name, value, href]) => (
            <div key={name}>
              <dt>{href === null ? name : <a href={href}>{name}</a>}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <p className="dim">{TEXTS.measured(dateText(measured))}</p>
        {largest.length > 0 && <Largest collections={largest} />}
      </section>
      <section className="card" aria-label={TEXTS.created}>
        <h2>{TEXTS.created}</h2>
        <p className="dim">{TEXTS.createdAbout}</p>
        <Chart
          kind="bars"
          title={TEXTS.created}
          by={TEXTS.day}
          labels={days.map(({ date }) => date)}
          series={[
            { name: TEXTS.users, values: created('users') },
            { name: TEXTS.documents, values: created('documents') },
            { name: TEXTS.files, values: created('files') },
          ]}
        />
      </section>
    </>
  );
}

function Largest({ collections }: { readonly collections: Statistics['documents']['collections'] }): ReactNode {
  return (
    <>
      <h3>{TEXTS.largest}</h3>
      <Table label={TEXTS.largest}>
        <thead>
          <tr>
            <th scope="col">{TEXTS.collection}</th>
            <th scope="col" className="number">
              {TEXTS.documents}
            </th>
            <th scope="col" className="number">
              {TEXTS.size}
            </th>
          </tr>
        </thead>
        <tbody>
          {collections.map(({ name, records, size }) => (
            <tr key={name}>
              <th scope="row">
                <a href={hrefOf(['collections', name])}>{name}</a>
              </th>
              <td className="number">{records.toLocaleString()}</td>
              <td className="number">{bytesText(size)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

const last = (values: readonly (number | null)[]) => values.reduce<number>((before, value) => value ?? before, 0);
const highest = (values: readonly (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0));
const durations = (values: readonly (number | null)[]) =>
  TEXTS.lastAndMost(last(values).toPrecision(2), highest(values).toPrecision(2));

function Requests({ traffic: { since, minutes } }: { readonly traffic: Traffic }): ReactNode {
  const labels = minutes.map(({ time }) => timeText(time));
  const of = (what: 'requests' | 'clientErrors' | 'serverErrors' | 'p50' | 'p95') => minutes.map((one) => one[what]);
  const [p50, p95] = [of('p50'), of('p95')];
  return (
    <>
      <section className="card" aria-label={TEXTS.traffic}>
        <h2>{TEXTS.traffic}</h2>
        <p className="dim">{TEXTS.trafficSince(dateText(since))}</p>
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
      </section>
      <section className="card" aria-label={TEXTS.latency}>
        <h2>{TEXTS.latency}</h2>
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
      </section>
    </>
  );
}

const BACKUP = 'baobab backup --to backup.tar';
const RESTORE = 'baobab restore --from backup.tar';

function Backup(): ReactNode {
  return (
    <section className="card" aria-label={TEXTS.backup}>
      <h2>{TEXTS.backup}</h2>
      <p>{TEXTS.backupAbout}</p>
      <p>
        <code>{BACKUP}</code>
      </p>
      <p>{TEXTS.backupUnknown}</p>
      <p>{TEXTS.restoreAbout}</p>
      <p>
        <code>{RESTORE}</code>
      </p>
    </section>
  );
}
