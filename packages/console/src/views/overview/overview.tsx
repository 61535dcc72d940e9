import type { ServiceCheck, Statistics } from '@baobab/client/admin';
import { CircleAlert, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { Button, ICON_SIZE, LinkButton } from '../../parts/button.tsx';
import { Chart } from '../../parts/chart.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { State } from '../../parts/state.tsx';
import { Age } from '../../parts/values.tsx';
import { Loading, Section, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, numberText } from '../../values/format.ts';
import { FailingWebhooks } from './failing-webhooks.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Requests } from './requests.tsx';

const TEXTS = texts.overview;
/** Checks that determine the health of the server. */
const HEALTH = ['database', 'blobs', 'mail', 'push'] as const;
const LARGEST = 5;

/** Issues, usage and traffic of the server. Its parts load independently. */
export function Overview(): ReactNode {
  const { admin } = useService().client;
  const checks = useLoad(['checks'], (signal) => admin.checks({ signal }));
  const statistics = useLoad(['statistics'], (signal) => admin.statistics({ signal }));
  const traffic = useLoad(['traffic'], (signal) => admin.traffic({ signal }));
  const refresh = () => {
    for (const one of [checks, statistics, traffic]) one.reload();
  };
  return (
    <View
      title={TEXTS.title}
      actions={
        <Button icon={RotateCw} onClick={refresh}>
          {texts.refresh}
        </Button>
      }
    >
      {checks.data !== null && statistics.data !== null && (
        <FirstSteps checks={checks.data} statistics={statistics.data} />
      )}
      <FailingWebhooks />
      <Loading loaded={checks}>
        {(found) => (
          <>
            <Issues checks={found} />
            <Health checks={found} />
          </>
        )}
      </Loading>
      <Loading loaded={statistics}>{(figures) => <Usage figures={figures} />}</Loading>
      <Loading loaded={traffic}>{(requests) => <Requests traffic={requests} />}</Loading>
    </View>
  );
}

interface ChecksProps {
  readonly checks: readonly ServiceCheck[];
}

function Issues({ checks }: ChecksProps): ReactNode {
  const faults = checks.filter(({ state }) => state === 'fault');
  if (faults.length === 0) return null;
  return (
    <section className="card warning" aria-label={TEXTS.issues(faults.length)}>
      <div className="label-row">
        <h2 className="row">
          <CircleAlert className="tone-warning" size={ICON_SIZE} aria-hidden={true} />
          {TEXTS.issues(faults.length)}
        </h2>
        <LinkButton kind="ghost" href={hrefOf(['health'])}>
          {TEXTS.viewAll}
        </LinkButton>
      </div>
      <p>{TEXTS.issuesAbout}</p>
      <ul className="bullets">
        {faults.map(({ check, text }) => (
          <li key={`${check} ${text}`}>
            <strong>{texts.health.names[check]}</strong>: {text}
          </li>
        ))}
      </ul>
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
    <Section title={TEXTS.health} isCard={true}>
      <dl className="facts">
        {HEALTH.map((name) => {
          const found = worst(checks, name);
          return (
            found !== undefined && (
              <div key={name}>
                <dt>{TEXTS.parts[name]}</dt>
                <dd>
                  <State state={found.state} /> <span className="muted">{found.text}</span>
                </dd>
              </div>
            )
          );
        })}
      </dl>
    </Section>
  );
}

function Usage({ figures }: { readonly figures: Statistics }): ReactNode {
  const { users, sessions, documents, files, assets, days, measured } = figures;
  const tiles = [
    [TEXTS.users, users, null, hrefOf(['users'])],
    [TEXTS.sessions, sessions, null, null],
    [TEXTS.documents, documents.count, documents.size, hrefOf(['collections'])],
    [TEXTS.files, files.count, files.size, hrefOf(['files'])],
    [TEXTS.assets, assets.count, assets.size, hrefOf(['assets'])],
  ] as const;
  const created = (what: 'users' | 'documents' | 'files') => days.map((day) => day[what]);
  const largest = [...documents.collections].sort((a, b) => b.size - a.size).slice(0, LARGEST);
  return (
    <>
      <Section title={TEXTS.usage}>
        <dl className="tiles">
          {tiles.map(([name, count, size, href]) => (
            <div key={name}>
              <dt>{href === null ? name : <a href={href}>{name}</a>}</dt>
              <dd>
                {numberText(count)} {size !== null && <small>{bytesText(size)}</small>}
              </dd>
            </div>
          ))}
        </dl>
        <p className="meta">
          {TEXTS.measured} <Age date={measured} />
        </p>
      </Section>
      <div className="split">
        <Section title={TEXTS.created} isCard={true}>
          <p className="meta">{TEXTS.createdAbout}</p>
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
        </Section>
        {largest.length > 0 && <Largest collections={largest} />}
      </div>
    </>
  );
}

function Largest({ collections }: { readonly collections: Statistics['documents']['collections'] }): ReactNode {
  return (
    <Section title={TEXTS.largest} isCard={true}>
      <SmallTable label={TEXTS.largest} heads={[TEXTS.collection, [TEXTS.documents], [TEXTS.size]]}>
        {collections.map(({ name, records, size }) => (
          <tr key={name}>
            <th scope="row">
              <a href={hrefOf(['collections', name])}>{name}</a>
            </th>
            <td className="number">{numberText(records)}</td>
            <td className="number">{bytesText(size)}</td>
          </tr>
        ))}
      </SmallTable>
    </Section>
  );
}
